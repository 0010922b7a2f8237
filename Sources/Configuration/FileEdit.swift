/// Change of single keys of a configuration file: comments, the order and all other keys stay as they are.
package struct FileEdit {
    private var lines: [String]
    private let path: String
    private let before: Settings
    private var changes: [(key: SettingDefinition, value: SettingValue)] = []

    /// - Parameters:
    ///   - text: of the file as it is.
    ///   - path: as errors name the file.
    /// - Throws: `ConfigurationError` when the file does not hold as it is.
    package init(_ text: String, path: String) throws(ConfigurationError) {
        self.lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if self.lines.last?.isEmpty == true { self.lines.removeLast() }
        self.path = path
        self.before = try Self.settings(text, path)
    }

    /// Value of a key as the file has it, or the default.
    package func value(of key: SettingDefinition) -> SettingValue { self.before[key] }

    /// Sets a key: in its own line, in the line of its default behind a `#`, or at the end of its table. Nothing is
    /// changed where the key has the value already.
    package mutating func set(_ key: SettingDefinition, to value: SettingValue) {
        guard self.before[key] != value else { return }
        self.changes.append((key, value))
        let place = KeyPlace(key.name)
        let line = "\(place.name) = \(value.literal)"
        guard let table = self.range(of: place.table) else {
            self.lines += ["", "[\(place.table)]", line]
            return
        }
        let own = table.first { Self.name(in: self.lines[$0]) == place.name }
        let usual = table.first { index in
            let text = self.lines[index]
            return text.hasPrefix("# ") && Self.name(in: String(text.dropFirst(2))) == place.name
        }
        if let own {
            self.lines.replaceSubrange(own...self.lastLine(ofValueAt: own, in: table), with: [line])
        } else if let usual {
            self.lines[usual] = line
        } else {
            let end = table.last { !self.lines[$0].allSatisfy(\.isWhitespace) }.map { $0 + 1 } ?? table.lowerBound
            self.lines.insert(line, at: end)
        }
    }

    /// True when no key has another value than before.
    package var changesNothing: Bool { self.changes.isEmpty }

    /// The file with all changes.
    ///
    /// - Throws: `ConfigurationError` when a value does not hold, or when the file is written in a way that a change
    ///   of a
    ///   line cannot follow: then it has to be changed by hand.
    package func text() throws(ConfigurationError) -> String {
        let text = self.lines.map { $0 + "\n" }.joined()
        let after = try Self.settings(text, self.path)
        for key in Keys.all {
            let wanted = self.changes.last { $0.key == key }?.value ?? self.before[key]
            guard after[key] != wanted else { continue }
            throw ConfigurationError(
                origin: self.before.origin(of: key), problem: "\(key.name) cannot be changed here: change it by hand")
        }
        return text
    }

    private static func settings(_ text: String, _ path: String) throws(ConfigurationError) -> Settings {
        var arguments = CommandLineSettings()
        arguments.configPath = path
        return try Settings(arguments: arguments) { _ in Array(text.utf8) }
    }

    /// Lines of a table without its head; those above the first head for the empty name.
    private func range(of table: String) -> Range<Int>? {
        let heads = self.lines.indices.filter { self.lines[$0].hasPrefix("[") }
        if table.isEmpty { return 0..<(heads.first ?? self.lines.count) }
        guard let head = heads.first(where: { Self.tableName(self.lines[$0]) == table }) else { return nil }
        return head + 1..<(heads.first { $0 > head } ?? self.lines.count)
    }

    private static func tableName(_ line: String) -> String {
        String(line.dropFirst().prefix { $0 != "]" }.filter { !$0.isWhitespace })
    }

    /// Name before the `=` of a line; `nil` for a line without one.
    private static func name(in line: String) -> String? {
        guard let equals = line.firstIndex(of: "=") else { return nil }
        let name = line[..<equals].filter { !$0.isWhitespace }
        return name.isEmpty || name.hasPrefix("#") ? nil : name
    }

    /// A list may go over several lines, up to its bracket.
    private func lastLine(ofValueAt first: Int, in table: Range<Int>) -> Int {
        let value = self.lines[first].drop { $0 != "=" }.dropFirst().drop { $0.isWhitespace }
        guard value.first == "[" else { return first }
        return (first..<table.upperBound).first { self.lines[$0].contains("]") } ?? first
    }
}
