/// Prometheus' text format.
///
/// Source: Prometheus documentation, "Exposition formats", text-based format, version 0.0.4.
package enum MetricsText {
    /// Value of the field `Content-Type`.
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// Families in their order; those without a sample are left out.
    package static func bytes(of families: [MetricFamily]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(32 * 1_024)
        for family in families where !family.samples.isEmpty { Self.append(family, to: &text) }
        return text
    }

    private static func append(_ family: MetricFamily, to text: inout [UInt8]) {
        text += "# HELP \(family.name) ".utf8
        Self.append(family.help, quotes: false, to: &text)
        text += "\n# TYPE \(family.name) \(family.kind.rawValue)\n".utf8
        for sample in family.samples {
            text += family.name.utf8
            text += sample.suffix.utf8
            Self.append(sample.labels, to: &text)
            text.append(UInt8(ascii: " "))
            text += Self.text(of: sample.value).utf8
            text.append(UInt8(ascii: "\n"))
        }
    }

    private static func append(_ labels: [(name: String, value: String)], to text: inout [UInt8]) {
        guard !labels.isEmpty else { return }
        var separator = UInt8(ascii: "{")
        for label in labels {
            text.append(separator)
            text += "\(label.name)=\"".utf8
            Self.append(label.value, quotes: true, to: &text)
            text.append(UInt8(ascii: "\""))
            separator = UInt8(ascii: ",")
        }
        text.append(UInt8(ascii: "}"))
    }

    /// Escapes backslashes and line feeds, in a label's value quotation marks too.
    private static func append(_ plain: String, quotes: Bool, to text: inout [UInt8]) {
        for byte in plain.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): text += [byte, byte]
            case UInt8(ascii: "\n"): text += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
            case UInt8(ascii: "\"") where quotes: text += [UInt8(ascii: "\\"), byte]
            default: text.append(byte)
            }
        }
    }

    private static func text(of value: MetricValue) -> String {
        switch value {
        case .integer(let number): String(number)
        case .fraction(let number) where number.isNaN: "NaN"
        case .fraction(let number) where number.isInfinite: number < 0 ? "-Inf" : "+Inf"
        case .fraction(let number): String(number)
        }
    }
}
