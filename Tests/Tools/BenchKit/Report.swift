/// Measurements as text.
package enum Report {
    /// A table: a line for each server, a column for each figure, and how the first server compares with the others.
    package static func table(_ measurements: [Measurement]) -> String {
        guard let first = measurements.first else { return "" }
        var names: [String] = []
        for figure in measurements.flatMap(\.metrics) where !names.contains(Self.heading(figure)) {
            names.append(Self.heading(figure))
        }
        var rows = [["server"] + names + (measurements.count > 1 ? ["\(first.server) is"] : [])]
        for measurement in measurements {
            var row = [measurement.server]
            for name in names {
                row.append(measurement.metrics.first { Self.heading($0) == name }?.text ?? "-")
            }
            if measurements.count > 1 { row.append(Self.comparison(first, measurement)) }
            rows.append(row)
        }
        var text = "\(first.scenario)\n" + Self.aligned(rows)
        for measurement in measurements {
            if !measurement.faults.isEmpty { text += "  \(measurement.server) FAULTS: \(measurement.faults)\n" }
            for note in measurement.notes { text += "  \(measurement.server): \(note)\n" }
        }
        return text
    }

    private static func heading(_ figure: Figure) -> String { "\(figure.name) \(figure.unit.rawValue)" }

    private static func comparison(_ first: Measurement, _ other: Measurement) -> String {
        guard first.server != other.server, let ratio = first.advantage(over: other) else { return "" }
        return "\(decimal(ratio, places: 2))x"
    }

    private static func aligned(_ rows: [[String]]) -> String {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row, widths).enumerated().map { column, cell in
                column == 0
                    ? cell.0 + String(repeating: " ", count: cell.1 - cell.0.count) : cell.0.padded(to: cell.1)
            }
            return "  " + cells.joined(separator: "  ") + "\n"
        }.joined()
    }

    /// An array with an object for each measurement.
    package static func json(_ measurements: [Measurement]) -> String {
        let objects = measurements.map { measurement in
            let metrics = measurement.metrics.map { figure in
                """
                {"name":\(quoted(figure.name)),"value":\(decimal(figure.value, places: 3)),\
                "unit":\(quoted(figure.unit.rawValue))}
                """
            }
            let faults = measurement.faults
            return """
                {"scenario":\(quoted(measurement.scenario)),"server":\(quoted(measurement.server)),\
                "figures":[\(metrics.joined(separator: ","))],\
                "faults":{"lost":\(faults.lost),"duplicated":\(faults.duplicated),"reordered":\(faults.reordered),\
                "misdirected":\(faults.misdirected),"unanswered":\(faults.unanswered),"refused":\(faults.refused)},\
                "notes":[\(measurement.notes.map(quoted).joined(separator: ","))]}
                """
        }
        return "[" + objects.joined(separator: ",\n ") + "]"
    }
}
