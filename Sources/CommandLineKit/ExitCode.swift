/// How the command ends, for scripts. Source of the numbers from 64 on: `sysexits.h`.
package enum ExitCode: Int32, Sendable, CaseIterable {
    case done = 0
    /// The server refused, or the thing asked for failed.
    case refused = 1
    case usage = 64
    /// A file that was named is not there, or cannot be read.
    case noInput = 66
    /// A mistake in teahouse itself.
    case internalError = 70
    case inputOutput = 74
    case alreadyRunning = 75
    /// The configuration does not hold, or the data is from a newer teahouse.
    case configuration = 78
}

/// Why a command ends with another code than 0, in words for the person who typed it.
package struct CommandFailure: Error, Hashable, Sendable {
    /// Exit code of the process.
    package var code: ExitCode
    /// Message for standard error.
    package var message: String

    /// Makes a failure with the code of the process and a message.
    package init(_ code: ExitCode, _ message: String) {
        self.code = code
        self.message = message
    }
}
