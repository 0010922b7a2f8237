import Configuration
import FileStore
import Execution
import Glibc
import MessageLog
import Server
import Store

/// A server that breaks the promise of an acknowledgement on purpose: the crash proof has to notice.
///
/// `teahouse-mutant [--mutant NAME] [--checkpoint-bytes N] --data FOLDER --listen HOST:PORT --config FILE` is `teahouse
/// serve` with one fault, or with none and a log that is checkpointed early, so that a short recording holds many
/// checkpoints. Every other subcommand belongs to `teahouse`.
@main
enum TeahouseMutant {
    enum Fault: String, CaseIterable {
        /// Everyone is told first; the commit follows a moment later.
        case acknowledgeBeforeCommit = "ack-before-commit"
        /// The log says that it is synced, and is a moment later.
        case logUnsynced = "log-unsynced"
        /// A commit does not wait for the disk. Nothing is acknowledged from the log.
        case synchronousNormal = "synchronous-normal"
        /// A file is told to be complete before its name is on the disk.
        case nameUnsynced = "name-unsynced"
        /// A file gets its name before its bytes are on the disk.
        case contentUnsynced = "content-unsynced"
    }

    /// Long enough for a kill to fall into it, short enough for a load to go on.
    private static let gapMicroseconds: useconds_t = 30_000
    /// The same for the log, of which a later sync makes good what an earlier one has missed.
    private static let lateMicroseconds: useconds_t = 300_000

    static func main() {
        var command = CommandLineSettings()
        var fault: Fault?
        var checkpointBytes: Int64?
        var words = CommandLine.arguments.dropFirst()
        while let word = words.popFirst() {
            guard let value = words.popFirst() else { Self.refuse("\(word) needs a value") }
            switch word {
            case "--mutant":
                fault = Fault(rawValue: value)
                if fault == nil {
                    let names = Fault.allCases.map(\.rawValue).joined(separator: ", ")
                    Self.refuse("\(value) is no fault: \(names)")
                }
            case "--checkpoint-bytes":
                checkpointBytes = Int64(value)
                if checkpointBytes == nil { Self.refuse("\(value) is no number of bytes") }
            case "--data": command.data = value
            case "--listen": command.listen.append(value)
            case "--config": command.configPath = value
            default: Self.refuse("\(word) is not known here")
            }
        }
        do {
            let settings = try Settings(arguments: command)
            let code = ServeCommand.run(settings) { options in
                if let checkpointBytes { options.store.checkpointLogBytes = checkpointBytes }
                if let fault { Self.break(&options, fault) }
            }
            exit(code.rawValue)
        } catch {
            Self.refuse("\(error)")
        }
    }

    private static func `break`(_ options: inout ServerOptions, _ fault: Fault) {
        switch fault {
        case .acknowledgeBeforeCommit:
            options.store.commitHook = { commit, publish throws(StoreError) in
                publish()
                usleep(Self.gapMicroseconds)
                try commit()
            }
        case .logUnsynced:
            options.store.logDisk = { path throws(LogError) in
                try LateDisk(path, microseconds: Self.lateMicroseconds)
            }
        case .synchronousNormal:
            options.store.synchronous = "NORMAL"
            options.store.acknowledgesFromLog = false
        case .nameUnsynced: options.files.faults.unsynced = [.syncFolders]
        case .contentUnsynced: options.files.faults.unsynced = [.finishPart]
        }
    }

    private static func refuse(_ text: String) -> Never {
        var line = "teahouse-mutant: \(text)\n"
        line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
        exit(64)
    }
}
