import CLinux
import Glibc

/// A named operating-system thread that runs one body and can be waited for.
package final class Thread: Sendable {
    private let handle: pthread_t

    private final class Start {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// Starts a thread. `name` is shown by `top -H` and debuggers; at most 15 bytes of it.
    package init(name: String, body: @escaping @Sendable () -> Void) {
        var handle = pthread_t()
        let start = Unmanaged.passRetained(Start(name: name, body: body))
        let failure = pthread_create(
            &handle, nil,
            { argument in
                let start = Unmanaged<Start>.fromOpaque(argument!).takeRetainedValue()
                clinux_name_thread(start.name)
                start.body()
                return nil
            }, start.toOpaque())
        precondition(failure == 0, "pthread_create failed for \(name): \(failure)")
        self.handle = handle
    }

    /// Waits for the body to return. Once only: a second join of the same thread is undefined in POSIX. On the thread itself,
    /// where the last owner of something may be let go, there is nothing to wait for: it is cleaned up when it ends.
    package func join() {
        if pthread_equal(pthread_self(), self.handle) != 0 {
            pthread_detach(self.handle)
        } else {
            pthread_join(self.handle, nil)
        }
    }
}
