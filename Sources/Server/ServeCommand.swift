import CLinux
package import Configuration
import Diagnostics
import Doctor
import Execution
import Glibc
import Store

/// Exit codes of a server, after sysexits.h.
package enum ServeExit: Int32, Sendable {
    case done = 0
    case failed = 1
    /// The disk or the database failed.
    case inputOutput = 74
    /// Another server holds the folder or the port.
    case alreadyRunning = 75
    /// The configuration is wrong, or the data is of a newer version.
    case configuration = 78
}

/// `teahouse serve`: one server in the foreground, until a signal ends it.
package enum ServeCommand {
    /// Runs until SIGTERM or SIGINT (drains), or until the disk fails. SIGHUP reads the certificates again; a second
    /// SIGTERM ends at once, which loses nothing that was acknowledged.
    ///
    /// Prints `teahouse ready on HOST:PORT` on standard output, and nothing else there. A service manager is told as well,
    /// and hears while it works. Call it before any other thread is made: the signals are blocked for all of them.
    package static func run(_ settings: Settings, configure: (inout ServerOptions) -> Void = { _ in }) -> ServeExit {
        let signals = clinux_signal_descriptor()
        Self.prepareProcess()
        let log = Self.log(settings)
        do {
            var options = try ServerOptions(settings, log: log)
            configure(&options)
            let passed = try PassedSockets.take()
            options.transport.passed = passed.people
            options.metrics.passed = passed.metrics
            options.landlockVersion = Self.confine(options, log)
            let server = try TeahouseServer(options)
            return Self.serve(server, folder: options.store.folder, signals: signals, log: log)
        } catch let error as ConfigurationError {
            log.error("not started", ["reason": .text(error.description)])
            return .configuration
        } catch let error as ServerError {
            log.error("not started", ["reason": .text(error.description)])
            return Self.exit(for: error)
        } catch {
            log.error("not started", ["reason": .text(String(describing: error))])
            return .failed
        }
    }

    /// Files of the server are its user's alone, memory is never written to a core file, and as many descriptors may be
    /// open as the system allows.
    private static func prepareProcess() {
        umask(0o077)
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        var files = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files) == 0 {
            files.rlim_cur = files.rlim_max
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files)
        }
    }

    /// - Returns: the version of Landlock that keeps the process to its folders; 0 for none.
    private static func confine(_ options: ServerOptions, _ log: Log) -> Int {
        guard options.settings[Keys.confine] else { return 0 }
        // Otherwise the rule would be for the folder above. Its failure is told by the store.
        try? DataFolder.make(options.store.folder)
        do throws(Confinement.Failure) {
            let version = try Confinement(options).enforce()
            log.info("confined to its folders", ["landlock": .number(Int64(version))])
            return version
        } catch {
            log.info("not confined to its folders", ["reason": .text(error.description)])
            return 0
        }
    }

    private static func log(_ settings: Settings) -> Log {
        let level = LogLevel.allCases.first { $0.name == settings[Keys.logLevel] } ?? .info
        let isJournal = Self.isJournal(getenv("JOURNAL_STREAM").map { String(cString: $0) })
        return Log(
            level: level, format: settings[Keys.logFormat] == "json" ? .json : .logfmt, withTime: !isJournal,
            withPriority: isJournal, history: LogHistory())
    }

    /// True when standard error goes to journald: the variable then names its device and inode. Source: systemd.exec(5).
    private static func isJournal(_ stream: String?) -> Bool {
        var status = stat()
        guard let stream, fstat(2, &status) == 0 else { return false }
        return stream == "\(status.st_dev):\(status.st_ino)"
    }

    private static func exit(for error: ServerError) -> ServeExit {
        switch error {
        case .store(.alreadyRunning): .alreadyRunning
        case .store(.schemaTooNew), .store(.invalid): .configuration
        case .store: .inputOutput
        case .transport(.cannotListen(_, _, EADDRINUSE)): .alreadyRunning
        case .transport(.file(_, _, let code)) where Self.isOfDisk(code): .inputOutput
        case .transport: .configuration
        case .admin: .inputOutput
        case .outgoing: .configuration
        case .files(.io(_, let code)) where Self.isOfDisk(code): .inputOutput
        case .files(.io): .configuration
        case .files: .inputOutput
        case .passedSockets: .configuration
        }
    }

    /// True for an error number of a disk that fails or is full; others are about rights and names.
    private static func isOfDisk(_ code: Int32) -> Bool { [EIO, EUCLEAN, ENOSPC, EDQUOT, EROFS].contains(code) }

    /// How often the room on the disk is noted for a forecast, and our own certificate is looked at, and renewed when two thirds of its life are over or the names and
    /// addresses of this machine have changed.
    private static let renewalMilliseconds: Int64 = 3_600_000

    private static func serve(_ server: TeahouseServer, folder: String, signals: Int32, log: Log) -> ServeExit {
        let failures = Mailbox<StoreError>()
        server.store.onFatal = { failures.post($0) }
        for address in server.addresses {
            log.info("listening", ["address": .text(address.description), "version": .text(Version.text)])
        }
        for address in server.metricsAddresses {
            log.info("listening for monitoring", ["address": .text(address.description)])
        }
        RoomHistory.noteRoom(in: folder, wall: Clock.system.wallMilliseconds())
        let manager = ServiceManager()
        Self.announce("teahouse ready on \(server.addresses[0].description)\n")
        manager.tell(.ready(server.addresses[0].description))
        var probe = LivenessProbe(server, manager)
        var renewal = Clock.system.now().advanced(byMilliseconds: Self.renewalMilliseconds)
        while true {
            let now = Clock.system.now()
            probe?.probe(at: now)
            if now >= renewal {
                Self.reload(server, log)
                RoomHistory.noteRoom(in: folder, wall: Clock.system.wallMilliseconds())
                renewal = now.advanced(byMilliseconds: Self.renewalMilliseconds)
            }
            let untilRenewal = renewal.milliseconds(since: now) + 1
            let milliseconds = min(untilRenewal, probe?.milliseconds(from: now) ?? untilRenewal)
            var waiting = [
                pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
                pollfd(fd: failures.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            _ = poll(&waiting, 2, Int32(clamping: milliseconds))
            if waiting[1].revents != 0 {
                var errors: [StoreError] = []
                failures.takeMessages(into: &errors)
                log.error("stopping at once", ["reason": .text(errors.first?.description ?? "the store failed")])
                return .inputOutput
            }
            switch clinux_next_signal(signals) {
            case 0: continue
            case SIGHUP:
                Self.reload(server, log)
                log.info("certificates read again")
            case let signal:
                manager.tell(.stopping)
                return Self.drain(server, signal, signals, log)
            }
        }
    }

    /// Unbuffered, so that whoever waits for the line has it.
    private static func announce(_ line: String) {
        var line = line
        line.withUTF8 { _ = write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }

    private static func reload(_ server: TeahouseServer, _ log: Log) {
        do throws(ServerError) {
            try server.reload()
        } catch {
            log.error("certificates not changed", ["reason": .text(error.description)])
        }
    }

    private static func drain(_ server: TeahouseServer, _ signal: Int32, _ signals: Int32, _ log: Log) -> ServeExit {
        log.info("draining", ["signal": .text(signal == SIGINT ? "SIGINT" : "SIGTERM")])
        // A second signal must not wait for clients that do not read.
        _ = Thread(name: "impatience") {
            var waiting = pollfd(fd: signals, events: Int16(POLLIN), revents: 0)
            while poll(&waiting, 1, -1) >= 0 {
                if clinux_next_signal(signals) != 0 { _exit(ServeExit.done.rawValue) }
            }
        }
        server.stop()
        log.info("stopped")
        return .done
    }
}
