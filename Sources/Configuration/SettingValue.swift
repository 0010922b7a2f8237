/// A value as the file, the environment or a flag gives it.
package enum SettingValue: Hashable, Sendable {
    case integer(Int64)
    case boolean(Bool)
    case text(String)
    case texts([String])

    /// As operators write it at run time: `5000`, `on`, the text, or texts with commas between.
    package var text: String {
        switch self {
        case .integer(let number): String(number)
        case .boolean(let isOn): isOn ? "on" : "off"
        case .text(let text): text
        case .texts(let texts): texts.joined(separator: ",")
        }
    }
}

/// Where a value came from; a later case wins over an earlier one.
package enum SettingOrigin: Hashable, Sendable, CustomStringConvertible {
    case builtIn
    case file(path: String, line: Int)
    case environment(variable: String)
    case flag(String)
    /// Set by the operator of the running server, and kept in its database.
    case runTime

    package var description: String {
        switch self {
        case .builtIn: "built in"
        case .file(let path, let line): "\(path):\(line)"
        case .environment(let variable): "$\(variable)"
        case .flag(let flag): flag
        case .runTime: "set at run time"
        }
    }
}

/// Error of one setting: its place in the file, the problem and the correction.
package struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Place that the value came from.
    package var origin: SettingOrigin
    /// Problem and correction, in English.
    package var problem: String

    package init(origin: SettingOrigin, problem: String) {
        self.origin = origin
        self.problem = problem
    }

    package var description: String { "\(self.origin): \(self.problem)" }
}

/// Kind of value that a key takes.
package enum SettingKind: Hashable, Sendable {
    case integer(ClosedRange<Int64>)
    case boolean
    /// One of a few words.
    case choice([String])
    case text
    case texts
}

/// A key of the configuration: its name, its default, and for people its unit and reason.
package struct SettingKey<Value: Sendable>: Sendable {
    /// Definition of the key without its type.
    package let definition: SettingDefinition
}

/// Definition of a key without its type.
package struct SettingDefinition: Hashable, Sendable {
    /// With its table: `limits.connections`.
    package let name: String
    /// Kind of value, with its range or choices.
    package let kind: SettingKind
    /// Value when nothing is set.
    package let builtIn: SettingValue
    /// `bytes`, `seconds`, `connections`; empty for words and switches.
    package let unit: String
    /// One sentence: what it bounds or switches, and why one would change it.
    package let reason: String

    /// Bounds in words: `1 to 1000 sessions`.
    package var bounds: String {
        switch self.kind {
        case .integer(let range): "\(range.lowerBound) to \(range.upperBound) \(self.unit)"
        case .boolean: "on or off"
        case .choice(let words): "one of \(words.joined(separator: ", "))"
        case .text: "a text"
        case .texts: "texts, with commas between"
        }
    }

    /// Reads what an operator wrote at run time, without its bounds; `nil` when it is of another type.
    func value(_ text: String) -> SettingValue? {
        switch self.kind {
        case .integer: Int64(text).map { .integer($0) }
        case .boolean:
            switch text {
            case "on", "true": .boolean(true)
            case "off", "false": .boolean(false)
            default: nil
            }
        case .choice, .text: .text(text)
        case .texts: .texts(text.split(separator: ",").map(String.init))
        }
    }
}

extension SettingKey where Value == Int64 {
    init(_ name: String, _ builtIn: Int64, in range: ClosedRange<Int64>, _ unit: String, _ reason: String) {
        self.definition = SettingDefinition(
            name: name, kind: .integer(range), builtIn: .integer(builtIn), unit: unit, reason: reason)
    }
}

extension SettingKey where Value == Bool {
    init(_ name: String, _ builtIn: Bool, _ reason: String) {
        self.definition = SettingDefinition(
            name: name, kind: .boolean, builtIn: .boolean(builtIn), unit: "", reason: reason)
    }
}

extension SettingKey where Value == String {
    init(_ name: String, _ builtIn: String, choices: [String]? = nil, _ reason: String) {
        self.definition = SettingDefinition(
            name: name, kind: choices.map { .choice($0) } ?? .text, builtIn: .text(builtIn), unit: "", reason: reason)
    }
}

extension SettingKey where Value == [String] {
    init(_ name: String, _ builtIn: [String], _ reason: String) {
        self.definition = SettingDefinition(
            name: name, kind: .texts, builtIn: .texts(builtIn), unit: "", reason: reason)
    }
}
