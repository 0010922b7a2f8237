/// One command: what it takes, how it is explained, what it does.
///
/// Parsing, help and suggestions are all made from these values, so they cannot disagree. Texts are keys of the language
/// files. Options of a command also hold for the commands below it, and may stand before or after their names.
package struct Command: Sendable {
    /// Work of a command, run after its arguments were checked.
    package typealias Body = @Sendable (Invocation, Terminal) throws(CommandFailure) -> Void

    /// Word that is typed.
    package var name: String
    /// Text key of one line.
    package var summary: String
    /// Arguments by position, in order.
    package var arguments: [CommandArgument]
    /// Options beside `--help`.
    package var options: [CommandOption]
    /// Whole command lines; a test parses each of them.
    package var examples: [String]
    /// Commands below this one.
    package var subcommands: [Command]
    /// `nil` for a command that only groups others.
    package var body: Body?

    /// A command that does something.
    package init(
        _ name: String, summary: String, arguments: [CommandArgument] = [], options: [CommandOption] = [],
        examples: [String], body: @escaping Body
    ) {
        self.name = name
        self.summary = summary
        self.arguments = arguments
        self.options = options
        self.examples = examples
        self.subcommands = []
        self.body = body
    }

    /// A command that groups others.
    package init(
        group name: String, summary: String, options: [CommandOption] = [], examples: [String], subcommands: [Command]
    ) {
        self.name = name
        self.summary = summary
        self.arguments = []
        self.options = options
        self.examples = examples
        self.subcommands = subcommands
        self.body = nil
    }
}

/// A value that is known by its place.
package struct CommandArgument: Sendable {
    /// As help shows it: `NAME`.
    package var name: String
    /// Text key.
    package var help: String
    /// True when the argument may be left out.
    package var isOptional: Bool
    /// Takes everything that is left. Only the last argument may.
    package var isRepeated: Bool

    package init(_ name: String, help: String, isOptional: Bool = false, isRepeated: Bool = false) {
        self.name = name
        self.help = help
        self.isOptional = isOptional
        self.isRepeated = isRepeated
    }
}

/// A value that is known by its name, `--name VALUE` or `--name=VALUE`, or a switch, `--name`.
package struct CommandOption: Sendable {
    /// Form of an option.
    package enum Shape: Sendable {
        case flag
        /// Any text; the string is how help shows it: `DIR`.
        case value(String)
        case choice([String])
        /// A whole number between the two, both included.
        case number(Int, Int)
    }

    /// Without the dashes.
    package var name: String
    /// Form of the option: a flag, or with a value.
    package var shape: Shape
    /// Text key.
    package var help: String
    /// True when the option must be given.
    package var isRequired: Bool
    /// True when the option may be given more than once.
    package var isRepeated: Bool

    package init(
        _ name: String, _ shape: Shape, help: String, isRequired: Bool = false, isRepeated: Bool = false
    ) {
        self.name = name
        self.shape = shape
        self.help = help
        self.isRequired = isRequired
        self.isRepeated = isRepeated
    }

    /// As usage lines show it: `--data DIR`.
    var usage: String {
        switch self.shape {
        case .flag: "--\(self.name)"
        case .value(let placeholder): "--\(self.name) \(placeholder)"
        case .choice(let choices): "--\(self.name) \(choices.joined(separator: "|"))"
        case .number: "--\(self.name) N"
        }
    }
}

/// Command line as typed, checked against the command's table.
package struct Invocation: Sendable {
    /// `["teahouse", "ctl", "user", "add"]`
    package let path: [String]
    let options: [String: [String]]
    let arguments: [String: [String]]

    /// The value of an option that may be absent.
    package func value(_ option: String) -> String? { self.options[option]?.last }

    /// Every value of a repeated option.
    package func values(_ option: String) -> [String] { self.options[option] ?? [] }

    /// True when the flag was given.
    package func has(_ flag: String) -> Bool { self.options[flag] != nil }

    /// The value of a number option; the parser has checked it.
    package func number(_ option: String) -> Int? { self.value(option).flatMap { Int($0) } }

    /// Every value of a repeated argument.
    package func list(_ argument: String) -> [String] { self.arguments[argument] ?? [] }

    /// An argument that is always there.
    package func argument(_ argument: String) -> String {
        guard let value = self.arguments[argument]?.first else {
            preconditionFailure("the table of commands has no argument \(argument) here")
        }
        return value
    }
}
