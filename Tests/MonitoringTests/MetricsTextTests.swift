import Testing

@testable import Monitoring

/// The text format, byte by byte.
struct MetricsTextTests {
    func text(_ families: [MetricFamily]) -> String { String(decoding: MetricsText.bytes(of: families), as: UTF8.self) }

    @Test("help, type and samples stand in this order")
    func plain() {
        let family = MetricFamily(
            "tea_cups_total", .counter, "Cups of tea.",
            [.init(.integer(3), labels: [(name: "kind", value: "green"), (name: "size", value: "small")])])
        let expected = """
            # HELP tea_cups_total Cups of tea.
            # TYPE tea_cups_total counter
            tea_cups_total{kind="green",size="small"} 3

            """
        #expect(self.text([family]) == expected)
    }

    @Test("a label's value is escaped, and a help is, but for its quotation marks")
    func escapes() {
        let family = MetricFamily(
            "tea", .gauge, "A \"cup\"\nof \\ tea", [.init(.integer(1), labels: [(name: "who", value: "a\"b\\c\nd茶")])])
        let lines = self.text([family]).split(separator: "\n")
        #expect(lines[0] == #"# HELP tea A "cup"\nof \\ tea"#)
        #expect(lines[2] == #"tea{who="a\"b\\c\nd茶"} 1"#)
        #expect(ExpositionCheck(self.text([family])).problems == [])
    }

    @Test(
        "numbers are written as Prometheus reads them",
        arguments: [
            (MetricValue.integer(.max), "9223372036854775807"), (.integer(-1), "-1"), (.fraction(0.000128), "0.000128"),
            (.fraction(.infinity), "+Inf"), (.fraction(-.infinity), "-Inf"), (.fraction(.nan), "NaN"),
            (.seconds(microseconds: 1_500_000), "1.5"), (.time(milliseconds: 1_800_000_000_250), "1800000000.25"),
            (.flag(true), "1"), (.flag(false), "0"),
        ])
    func numbers(value: MetricValue, text: String) {
        let lines = self.text([MetricFamily("tea", .gauge, "Tea.", [.init(value)])]).split(separator: "\n")
        #expect(lines.last == "tea \(text)")
    }

    @Test("a family without samples is left out")
    func empty() {
        #expect(self.text([MetricFamily("tea", .gauge, "Tea.", [])]).isEmpty)
    }

    @Test(
        "the checker finds what is wrong",
        arguments: [
            "# HELP tea Tea.\n# TYPE tea counter\ntea 1\n",
            "# HELP tea_total Tea.\n# TYPE tea_total gauge\ntea_total 1\n",
            "# TYPE tea gauge\ntea 1\n", "# HELP tea Tea.\n# TYPE tea gauge\ntea 1\ntea 1\n",
            "# HELP tea_ms Tea.\n# TYPE tea_ms gauge\ntea_ms 1\n", "# HELP tea Tea.\n# TYPE tea gauge\ntea{a=\"b} 1\n",
            "# HELP tea Tea.\n# TYPE tea gauge\ntea one\n", "# HELP tea Tea.\n# TYPE tea gauge\ncup 1\n",
            "# HELP t Tea.\n# TYPE t histogram\nt_bucket{le=\"1\"} 2\nt_bucket{le=\"+Inf\"} 1\nt_sum 1\nt_count 1\n",
        ])
    func checker(text: String) { #expect(!ExpositionCheck(text).problems.isEmpty) }
}
