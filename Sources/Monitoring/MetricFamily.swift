/// A metric with its samples, as Prometheus knows it.
package struct MetricFamily: Sendable {
    /// Kind of a metric.
    package enum Kind: String, Sendable {
        /// Only grows, from 0 at the start of the process.
        case counter
        case gauge
        /// Counts by upper bound, with a sum.
        case histogram
    }

    /// One value.
    package struct Sample: Sendable {
        /// End of the name, such as `_bucket`; empty for most.
        package var suffix: String
        /// Names and values of labels. A value is one of a few words: never a person, a conversation or an address.
        package var labels: [(name: String, value: String)]
        /// Number of the sample.
        package var value: MetricValue

        package init(_ value: MetricValue, suffix: String = "", labels: [(name: String, value: String)] = []) {
            self.suffix = suffix
            self.labels = labels
            self.value = value
        }
    }

    /// Name with its unit: `teahouse_disk_free_bytes`; that of a counter ends with `_total`.
    package var name: String
    /// Kind of the metric.
    package var kind: Kind
    /// A sentence for people.
    package var help: String
    /// Values; none for a metric that does not apply.
    package var samples: [Sample]

    package init(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
        self.name = name
        self.kind = kind
        self.help = help
        self.samples = samples
    }
}

/// A number of a sample.
package enum MetricValue: Hashable, Sendable {
    case integer(Int64)
    case fraction(Double)

    /// A duration in seconds.
    package static func seconds(microseconds: Int64) -> MetricValue { .fraction(Double(microseconds) / 1_000_000) }

    /// A time in seconds since 1970.
    package static func time(milliseconds: Int64) -> MetricValue { .fraction(Double(milliseconds) / 1_000) }

    /// 1 for yes, 0 for no.
    package static func flag(_ isSet: Bool) -> MetricValue { .integer(isSet ? 1 : 0) }
}

extension MetricFamily {
    static func gauge(_ name: String, _ help: String, _ value: Int64) -> MetricFamily {
        MetricFamily(name, .gauge, help, [Sample(.integer(value))])
    }

    static func gauge(_ name: String, _ help: String, _ value: MetricValue) -> MetricFamily {
        MetricFamily(name, .gauge, help, [Sample(value)])
    }

    static func counter(_ name: String, _ help: String, _ value: Int64) -> MetricFamily {
        MetricFamily(name, .counter, help, [Sample(.integer(value))])
    }

    /// Values of one label.
    static func split(
        _ name: String, _ kind: Kind, _ help: String, by label: String, _ values: [(String, Int64)]
    ) -> MetricFamily {
        MetricFamily(
            name, kind, help, values.map { Sample(.integer($0.1), labels: [(name: label, value: $0.0)]) })
    }
}
