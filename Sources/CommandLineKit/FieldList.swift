/// List of facts about one thing, a line for each.
package struct FieldList {
    private var rows: [(label: String, value: String)] = []

    /// Makes an empty list.
    package init() {}

    /// Adds a line; the value may come from outside, it is escaped. Nothing is added without a value.
    package mutating func add(_ label: String, _ value: String?) {
        guard let value, !value.isEmpty else { return }
        self.rows.append((label, DisplayText.escaped(value)))
    }

    /// The lines, values aligned.
    package var text: String {
        let width = self.rows.map { displayWidth(of: $0.label) }.max() ?? 0
        return self.rows.map { row in
            row.label + String(repeating: " ", count: width - displayWidth(of: row.label) + 2) + row.value + "\n"
        }.joined()
    }
}
