import Testing

@testable import BenchKit

@Suite struct HistogramTests {
    @Test("small values are kept exactly", arguments: [0, 1, 63, 64, 127] as [Int64])
    func exact(_ value: Int64) {
        var histogram = Histogram()
        histogram.record(value)
        #expect(histogram.percentile(0.5) == value)
    }

    @Test(
        "a percentile is at most 1.6 % too high and never too low",
        arguments: [128, 1_000, 65_535, 1_234_567, 99_999_999_999, Int64.max])
    func precision(_ value: Int64) {
        var histogram = Histogram()
        histogram.record(value)
        let shown = histogram.percentile(1)
        #expect(shown >= value)
        #expect(Double(shown) <= Double(value) * 1.016)
    }

    @Test("percentiles are ranks among all values")
    func ranks() {
        var histogram = Histogram()
        for value in 1...100 { histogram.record(Int64(value)) }
        #expect(histogram.count == 100)
        #expect(histogram.percentile(0.5) == 50)
        #expect(histogram.percentile(0.99) == 99)
        #expect(histogram.percentile(0.999) == 100)
        #expect(histogram.percentile(0) == 1)
    }

    @Test("without values every percentile is 0, and a negative value counts as 0")
    func edges() {
        var histogram = Histogram()
        #expect(histogram.percentile(0.5) == 0)
        histogram.record(-5)
        #expect(histogram.percentile(1) == 0)
        #expect(histogram.count == 1)
    }
}
