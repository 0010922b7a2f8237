/// A command line that the table does not allow.
package struct UsageError: Error, Hashable, Sendable {
    /// Reason why the command line is refused.
    package enum Problem: Hashable, Sendable {
        case unknownCommand(String, nearest: String?)
        case missingCommand
        case unknownOption(String, nearest: String?)
        case optionNeedsValue(String)
        case flagTakesNoValue(String)
        case notAChoice(option: String, value: String, choices: [String])
        case notANumber(option: String, value: String, minimum: Int, maximum: Int)
        case optionRepeated(String)
        case missingOption(String)
        case missingArgument(String)
        case unexpectedArgument(String)
    }

    /// Reason why the command line is refused.
    package var problem: Problem
    /// The command that was being read: `["teahouse", "ctl", "user"]`.
    package var path: [String]

    /// Message for the person: the problem and the correction, in the language of `texts`.
    package func message(_ texts: TextLookup) -> String {
        let (key, values) = self.parts
        let escaped = values.mapValues { DisplayText.escaped($0) }
        return texts(key, escaped) + " " + texts("usage.see", ["command": self.path.joined(separator: " ")])
    }

    private var parts: (key: String, values: [String: String]) {
        switch self.problem {
        case .unknownCommand(let name, nil): ("usage.unknownCommand", ["name": name])
        case .unknownCommand(let name, .some(let nearest)):
            ("usage.unknownCommandNearest", ["name": name, "nearest": nearest])
        case .missingCommand: ("usage.missingCommand", ["command": self.path.joined(separator: " ")])
        case .unknownOption(let name, nil): ("usage.unknownOption", ["name": name])
        case .unknownOption(let name, .some(let nearest)):
            ("usage.unknownOptionNearest", ["name": name, "nearest": nearest])
        case .optionNeedsValue(let name): ("usage.optionNeedsValue", ["name": "--\(name)"])
        case .flagTakesNoValue(let name): ("usage.flagTakesNoValue", ["name": "--\(name)"])
        case .notAChoice(let option, let value, let choices):
            ("usage.notAChoice", ["name": "--\(option)", "value": value, "choices": choices.joined(separator: ", ")])
        case .notANumber(let option, let value, let minimum, let maximum):
            (
                "usage.notANumber",
                ["name": "--\(option)", "value": value, "minimum": String(minimum), "maximum": String(maximum)]
            )
        case .optionRepeated(let name): ("usage.optionRepeated", ["name": "--\(name)"])
        case .missingOption(let name): ("usage.missingOption", ["name": name])
        case .missingArgument(let name): ("usage.missingArgument", ["name": name])
        case .unexpectedArgument(let value): ("usage.unexpectedArgument", ["value": value])
        }
    }
}
