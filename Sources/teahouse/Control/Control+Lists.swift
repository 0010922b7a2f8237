import ByteCodec
import CommandLineKit

extension Command {
    /// The same with `--filter` and `--limit` at every `list` below it; one that has a limit of its own keeps that.
    func withListOptions() -> Command {
        var command = self
        command.subcommands = self.subcommands.map { $0.withListOptions() }
        guard self.name == "list", self.body != nil else { return command }
        let options = [
            CommandOption("filter", .value("TEXT"), help: "option.listFilter"),
            CommandOption("limit", .number(1, 1_000_000), help: "option.listLimit"),
        ]
        command.options += options.filter { option in !self.options.contains { $0.name == option.name } }
        return command
    }
}

extension Control {
    /// True for a command whose rows `--filter` and `--limit` choose.
    private var isList: Bool { self.invocation.path.last == "list" }

    /// Text that a row must have, in lower case; `nil` for any.
    private var wantedText: String? {
        guard self.isList, let text = self.invocation.value("filter"), !text.isEmpty else { return nil }
        return text.lowercased()
    }

    /// Number of rows at most; `nil` for all.
    private var wantedCount: Int? { self.isList ? self.invocation.number("limit") : nil }

    /// Rows of a list that were asked for.
    func narrowed(_ rows: [[String]]) -> [[String]] {
        var rows = rows
        if let text = self.wantedText {
            rows = rows.filter { row in row.contains { $0.lowercased().contains(run: text) } }
        }
        return self.wantedCount.map { Array(rows.prefix($0)) } ?? rows
    }

    /// A list as JSON with the elements that were asked for. What is no list stays as it is.
    func narrowed(_ json: [UInt8]) -> [UInt8] {
        guard self.wantedText != nil || self.wantedCount != nil,
            case .object(var members)? = try? JSONValue(parsing: json),
            let place = members.firstIndex(where: { if case .array = $0.value { true } else { false } }),
            case .array(var elements) = members[place].value
        else { return json }
        if let text = self.wantedText {
            elements = elements.filter {
                String(decoding: $0.serialized(), as: UTF8.self).lowercased().contains(run: text)
            }
        }
        if let count = self.wantedCount { elements = Array(elements.prefix(count)) }
        members[place].value = .array(elements)
        return JSONValue.object(members).serialized()
    }
}
