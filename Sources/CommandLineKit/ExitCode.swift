import ByteCodec

/// How the command ends, for scripts. Source of the numbers from 64 on: `sysexits.h`.
package enum ExitCode: Int32, Sendable, CaseIterable {
    case done = 0
    /// The server refused, or the thing asked for failed.
    case refused = 1
    /// Something that was named is not there: a user, a conversation, a session.
    case notFound = 3
    case usage = 64
    /// A file that was named is not there, or cannot be read.
    case noInput = 66
    /// No server answers on the data folder.
    case notRunning = 69
    /// A mistake in teahouse itself.
    case internalError = 70
    case inputOutput = 74
    case alreadyRunning = 75
    /// The admin socket belongs to another user.
    case notAllowed = 77
    /// The configuration does not hold, or the data is from a newer teahouse.
    case configuration = 78
}

extension ExitCode {
    /// Word for scripts, which does not change.
    package var word: String {
        switch self {
        case .done: "done"
        case .refused: "refused"
        case .notFound: "notFound"
        case .usage: "usage"
        case .noInput: "noInput"
        case .notRunning: "notRunning"
        case .internalError: "internalError"
        case .inputOutput: "failed"
        case .alreadyRunning: "alreadyRunning"
        case .notAllowed: "notAllowed"
        case .configuration: "configuration"
        }
    }
}

/// Why a command ends with another code than 0, in words for the person who typed it.
package struct CommandFailure: Error, Hashable, Sendable {
    /// Exit code of the process.
    package var code: ExitCode
    /// Message for standard error.
    package var message: String
    /// Code for scripts, which does not change; more than one may have the same exit code.
    package var word: String
    /// Number of the server's refusal; `nil` for a failure without one.
    package var number: Int64?
    /// Values in the sentence of the refusal.
    package var values: [String]

    /// Makes a failure with the code of the process and a message.
    ///
    /// - Parameter word: code for scripts; `nil` for that of the exit code.
    package init(
        _ code: ExitCode, _ message: String, word: String? = nil, number: Int64? = nil, values: [String] = []
    ) {
        self.code = code
        self.message = message
        self.word = word ?? code.word
        self.number = number
        self.values = values
    }

    /// One line of JSON, `{"error":{"code":"notFound","exit":3,"message":...}}`; `number` and `values` stand in it for a
    /// refusal that has them.
    package var json: String {
        var members = [
            JSONValue.Member("code", .string(self.word)), .init("exit", .integer(Int64(self.code.rawValue))),
            .init("message", .string(self.message)),
        ]
        if let number = self.number {
            members.append(.init("number", .integer(number)))
            members.append(.init("values", .array(self.values.map { .string($0) })))
        }
        let error = JSONValue.object([.init("error", .object(members))])
        return DisplayText.escapedJSON(String(decoding: error.serialized(), as: UTF8.self))
    }
}
