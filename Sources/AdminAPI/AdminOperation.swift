import ChatModel

/// An operation, as the socket, the audit log, `ctl`, the console and its undo read it.
///
/// Each request defines it once, in `pass`, beside its fields.
package struct AdminOperation: Equatable, Sendable {
    /// Name on the socket and in the audit log: `team.mute`.
    package var word = ""
    /// Least role that may use it. An operation that names none is the administrators' alone.
    package var role = OperatorRole.administrator
    /// True when the request asks for a change.
    package var isChange = false
    /// True when the log and the audit log keep it: changes, reading a conversation as a member, reading keys.
    package var isAudited = false
    /// Subject of the request, whose state the audit log keeps before and after.
    package var subject = AdminSubject.text(nil)
    /// Request as the audit log keeps it, without passwords and texts of messages; `nil` for the request unchanged.
    package var audited: AdminRequest?
    /// Words of the `teahouse ctl` command that does the same; `nil` when no single command does.
    package var command: [String]?
    /// Line that `ctl` prints when it is done; `nil` when it prints the answer.
    package var outcome: Outcome?
    /// Request that undoes this one; `nil` when that needs the state before.
    package var inverse: AdminRequest?
    /// Request whose answer shows what the change sets; `nil` for none.
    package var basis: AdminRequest?
    /// Consequences that the operator agrees to before it is done; `nil` for none worth a question.
    package var caution: Caution?

    /// Consequences of a change, for the question before it: the same for keys, for the `:` line and for `ctl`.
    package struct Caution: Equatable, Sendable {
        /// Text key of what is done: `disable`.
        package var action: String
        /// Text keys of what will be so afterwards, one for each sentence.
        package var consequences: [String]
        /// Values in the sentences.
        package var values: [String: String]
        /// Names of what it is done to.
        package var objects: [String]
        /// Name that is typed before it is done; `nil` when a yes is enough.
        package var typed: String?
        /// True when nothing brings back what was: a script has to say that it means it.
        package var isFinal: Bool
        /// Conversation whose members it concerns, with the text key that tells their number; `nil` for none.
        package var losers: Losers?

        /// Members whom a change concerns.
        package struct Losers: Equatable, Sendable {
            /// Conversation, as requests name it.
            package var conversation: String
            /// Text key that depends on the number.
            package var text: String
        }
    }

    /// A line for people.
    package struct Outcome: Equatable, Sendable {
        /// Text key.
        package var key: String
        /// Values in the text, beside those of the answer.
        package var values: [String: String]
        /// Text key for an answer that says no more than that it is done; `nil` for the same.
        package var doneKey: String?
        /// True when the line is printed for a count of 0 too.
        package var isForNone = false
    }
}

/// A family whose cases are operations, defined beside their fields.
protocol AdminDefinitions: AdminFamily {
    /// Samples of commands that differ from the sample of their case in `all`: `unban` beside `ban`.
    static var more: [Self] { get }
}

extension AdminDefinitions {
    static var more: [Self] { [] }
}

// MARK: Command lines

/// An argument or an option of a command line.
struct CommandPart {
    fileprivate var words: [String]
    fileprivate var isOption: Bool

    private init(words: [String], isOption: Bool) {
        self.words = words
        self.isOption = isOption
    }

    /// The words of a place; nothing for `nil`.
    init(_ place: CommandPlace, _ words: [String]?) {
        self.isOption = !place.isArgument
        self.words = (self.isOption && words != nil ? ["--\(place.name)"] : []) + (words ?? [])
    }

    /// Arguments by position; none for `nil`.
    static func word(_ word: String?) -> CommandPart { .words(word.map { [$0] } ?? []) }

    static func words(_ words: [String]) -> CommandPart { CommandPart(words: words, isOption: false) }

    /// `--name VALUE`; nothing for `nil`.
    static func option(_ name: String, _ value: String?) -> CommandPart {
        CommandPart(words: value.map { ["--\(name)", $0] } ?? [], isOption: true)
    }

    static func option(_ name: String, _ value: Int64?) -> CommandPart { .option(name, value.map { String($0) }) }

    static func option(_ name: String, _ isOn: Bool?) -> CommandPart {
        .option(name, isOn.map { $0 ? "on" : "off" })
    }

    /// `--name`, or nothing.
    static func flag(_ name: String, _ isOn: Bool) -> CommandPart {
        CommandPart(words: isOn ? ["--\(name)"] : [], isOption: true)
    }
}

/// The words of a command line: `ctl("team mute", .word("tea"), .option("minutes", 5))`.
///
/// An argument that looks like an option stands behind `--`.
func ctl(_ command: String, _ parts: CommandPart...) -> [String] { ctl(command, parts) }

func ctl(_ command: String, _ parts: [CommandPart]) -> [String] {
    ctl(command.split(separator: " ").map { String($0) }, parts)
}

func ctl(_ start: [String], _ parts: [CommandPart]) -> [String] {
    let arguments = parts.filter { !$0.isOption }.flatMap(\.words)
    guard arguments.contains(where: { $0.hasPrefix("-") && $0.count > 1 && Int($0) == nil }) else {
        return start + parts.flatMap(\.words)
    }
    return start + parts.filter(\.isOption).flatMap(\.words) + ["--"] + arguments
}

extension Array<UserName> {
    /// The names as arguments; `nil` for names that a command line cannot list: none, or one with a comma or a space
    /// before it.
    var words: [String]? {
        let names = self.map(\.text)
        let isPlain = !names.contains { $0.contains(",") || $0.hasPrefix(" ") }
        return isPlain && !names.isEmpty ? names : nil
    }

    /// The names as the value of one option; `nil` as for `words`, and for nobody.
    var list: String? { self.words?.joined(separator: ",") }
}

extension String {
    /// `nil` for an empty one.
    var nonEmpty: String? { self.isEmpty ? nil : self }
}
