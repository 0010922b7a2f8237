import CLinux
import Glibc

/// Ctrl-C and SIGTERM, seen as something to read, so that children are stopped and folders removed before the end.
package final class SignalWatch {
    let descriptor: Int32

    /// Blocks the signals for this thread and the threads that it starts later.
    package init() throws(BenchError) {
        self.descriptor = clinux_signal_descriptor()
        guard self.descriptor >= 0 else { throw .failed("signalfd") }
    }

    deinit { close(self.descriptor) }

    /// Waits, and throws `interrupted` when a signal comes first.
    func sleep(milliseconds: Int32) throws(BenchError) {
        if try self.wait(for: -1, milliseconds: milliseconds) { return }
    }

    /// Waits until `other` can be read (true) or the time is over (false).
    func wait(for other: Int32, milliseconds: Int32) throws(BenchError) -> Bool {
        var watched = [
            pollfd(fd: self.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: other, events: Int16(POLLIN), revents: 0),
        ]
        guard poll(&watched, 2, milliseconds) >= 0 else { throw .failed("poll") }
        if watched[0].revents != 0 { throw .interrupted }
        return watched[1].revents != 0
    }
}
