import Diagnostics
import Glibc

/// Settings given on the command line.
package struct CommandLineSettings: Sendable {
    /// `--config`
    package var configPath: String?
    /// `--data`
    package var data: String?
    /// `--listen`, as often as it was given.
    package var listen: [String] = []
    /// `--log-level`
    package var logLevel: String?
    /// `--log-format`
    package var logFormat: String?

    /// Makes the settings of a command line without options.
    package init() {}
}

/// The checked settings of a server: flag over environment over file over what is built in.
package struct Settings: Sendable {
    private var values: [String: (value: SettingValue, origin: SettingOrigin)] = [:]
    /// The file that was read; `nil` for none.
    package private(set) var path: String?

    /// - Parameters:
    ///   - environment: `TEAHOUSE_CONFIG`, `TEAHOUSE_DATA`, `TEAHOUSE_LISTEN` (comma separated), `TEAHOUSE_LOG`.
    ///   - readFile: the bytes of a file, or `nil` when it cannot be read.
    /// - Throws: `ConfigurationError` for the first key that is unknown, of the wrong type or out of its range.
    package init(
        arguments: CommandLineSettings = CommandLineSettings(), environment: [String: String] = [:],
        readFile: (String) -> [UInt8]? = Settings.contents(of:)
    ) throws(ConfigurationError) {
        if let path = arguments.configPath {
            try self.load(path, from: .flag("--config"), readFile)
        } else if let path = environment["TEAHOUSE_CONFIG"], !path.isEmpty {
            try self.load(path, from: .environment(variable: "TEAHOUSE_CONFIG"), readFile)
        }
        try self.apply(environment)
        try self.apply(arguments)
    }

    /// Value of an integer key, within its range.
    package subscript(key: SettingKey<Int64>) -> Int64 {
        guard case .integer(let value) = self.value(of: key.definition) else { Self.isChecked() }
        return value
    }

    /// Value of a boolean key.
    package subscript(key: SettingKey<Bool>) -> Bool {
        guard case .boolean(let value) = self.value(of: key.definition) else { Self.isChecked() }
        return value
    }

    /// Value of a text key.
    package subscript(key: SettingKey<String>) -> String {
        guard case .text(let value) = self.value(of: key.definition) else { Self.isChecked() }
        return value
    }

    /// Value of a list key.
    package subscript(key: SettingKey<[String]>) -> [String] {
        guard case .texts(let value) = self.value(of: key.definition) else { Self.isChecked() }
        return value
    }

    /// Default settings without a file.
    package static let builtIn = Settings()

    private init() {}

    /// The value of a key, of whatever type.
    package subscript(definition: SettingDefinition) -> SettingValue { self.value(of: definition) }

    /// These settings with one over them that was set at run time.
    ///
    /// - Throws: `ConfigurationError` when there is no such key, or the value is of the wrong type or out of its range.
    package func setting(_ name: String, to text: String) throws(ConfigurationError) -> Settings {
        var settings = self
        let definition = Keys.all.first { $0.name == name }
        try settings.set(name, definition?.value(text) ?? .text(text), .runTime)
        return settings
    }

    /// Where the value of a key came from.
    package func origin(of definition: SettingDefinition) -> SettingOrigin {
        self.values[definition.name]?.origin ?? .builtIn
    }

    /// The data folder: what was set, else `/var/lib/teahouse` when it can be written to, else `./teahouse-data`.
    package var dataFolder: String { self.dataFolder(system: "/var/lib/teahouse") }

    func dataFolder(system: String) -> String {
        let chosen = self[Keys.data]
        if !chosen.isEmpty { return chosen }
        return access(system, W_OK) == 0 ? system : "./teahouse-data"
    }

    /// The bytes of a file of at most 1 MiB; `nil` when it cannot be read.
    package static func contents(of path: String) -> [UInt8]? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        let maximum = 1 << 20
        let bytes = [UInt8](unsafeUninitializedCapacity: maximum + 1) { buffer, count in
            count = fread(buffer.baseAddress, 1, maximum + 1, file)
        }
        return ferror(file) == 0 && bytes.count <= maximum ? bytes : nil
    }

    private static func isChecked() -> Never { preconditionFailure("a value has the type of its key") }

    // MARK: Filling in

    private func value(of definition: SettingDefinition) -> SettingValue {
        self.values[definition.name]?.value ?? definition.builtIn
    }

    private mutating func load(
        _ path: String, from origin: SettingOrigin, _ readFile: (String) -> [UInt8]?
    ) throws(ConfigurationError) {
        guard let bytes = readFile(path) else {
            throw ConfigurationError(origin: origin, problem: "\(path) cannot be read, or is over 1 MiB")
        }
        self.path = path
        var reader = TOMLReader(bytes, path: path)
        for entry in try reader.entries() {
            try self.set(entry.key, entry.value, .file(path: path, line: entry.line))
        }
    }

    private mutating func apply(_ environment: [String: String]) throws(ConfigurationError) {
        func variable(_ name: String) -> (String, SettingOrigin)? {
            guard let value = environment[name], !value.isEmpty else { return nil }
            return (value, .environment(variable: name))
        }
        if let (value, origin) = variable("TEAHOUSE_DATA") { try self.set("data", .text(value), origin) }
        if let (value, origin) = variable("TEAHOUSE_LOG") { try self.set("log.level", .text(value), origin) }
        if let (value, origin) = variable("TEAHOUSE_LISTEN") {
            try self.set("listen", .texts(value.split(separator: ",").map(String.init)), origin)
        }
    }

    private mutating func apply(_ arguments: CommandLineSettings) throws(ConfigurationError) {
        if let data = arguments.data { try self.set("data", .text(data), .flag("--data")) }
        if !arguments.listen.isEmpty { try self.set("listen", .texts(arguments.listen), .flag("--listen")) }
        if let level = arguments.logLevel { try self.set("log.level", .text(level), .flag("--log-level")) }
        if let format = arguments.logFormat { try self.set("log.format", .text(format), .flag("--log-format")) }
    }

    private mutating func set(
        _ name: String, _ value: SettingValue, _ origin: SettingOrigin
    ) throws(ConfigurationError) {
        guard let definition = Keys.all.first(where: { $0.name == name }) else {
            let nearest = nearestName(to: name, among: Keys.all.map(\.name))
            let hint = nearest.map { "; did you mean \($0)?" } ?? ""
            throw ConfigurationError(origin: origin, problem: "there is no setting \(name)\(hint)")
        }
        if let problem = Self.problem(value, for: definition) {
            throw ConfigurationError(origin: origin, problem: problem)
        }
        self.values[name] = (value, origin)
    }

    private static func problem(_ value: SettingValue, for definition: SettingDefinition) -> String? {
        let name = definition.name
        switch (definition.kind, value) {
        case (.integer(let range), .integer(let number)):
            let bounds = "\(range.lowerBound) to \(range.upperBound) \(definition.unit)"
            return range.contains(number) ? nil : "\(name) may be \(bounds), not \(number)"
        case (.choice(let words), .text(let word)):
            let known = words.map { "\"\($0)\"" }.joined(separator: ", ")
            return words.contains(word) ? nil : "\(name) may be \(known), not \"\(word)\""
        case (.boolean, .boolean), (.text, .text), (.texts, .texts): return nil
        case (.integer(let range), _):
            return "\(name) needs a number, \(range.lowerBound) to \(range.upperBound) \(definition.unit)"
        case (.boolean, _): return "\(name) needs true or false"
        case (.choice(let words), _): return "\(name) needs one of \(words.map { "\"\($0)\"" }.joined(separator: ", "))"
        case (.text, _): return "\(name) needs a \"text\""
        case (.texts, _): return "\(name) needs a list of texts, such as [\"one\", \"two\"]"
        }
    }
}
