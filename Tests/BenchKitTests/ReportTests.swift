import Testing

@testable import BenchKit

@Suite struct ReportTests {
    private func measurement(_ server: String, _ rate: Double, _ latency: Double, lost: Int = 0) -> Measurement {
        var faults = Faults()
        faults.lost = lost
        return Measurement(
            scenario: "pairs", server: server,
            metrics: [Figure("delivered", rate, .perSecond), Figure("ack p50", latency, .microseconds)],
            faults: faults)
    }

    @Test("the median of three rounds, figure by figure, with the faults of all of them")
    func median() throws {
        let rounds = [
            self.measurement("a", 10, 5, lost: 1), self.measurement("a", 30, 9), self.measurement("a", 20, 7, lost: 2),
        ]
        #expect(Measurement.median(of: rounds) == self.measurement("a", 20, 7, lost: 3))
        #expect(Measurement.median(of: []) == nil)
    }

    @Test("a table compares the first server with the others")
    func table() {
        let text = Report.table([self.measurement("teahouse", 150, 5.125), self.measurement("bare", 200, 50, lost: 2)])
        #expect(
            text == """
                pairs
                  server    delivered /s  ack p50 µs  teahouse is
                  teahouse           150        5.13             \n\
                  bare               200       50.00        0.75x
                  bare FAULTS: 2 lost

                """)
    }

    @Test("less is better where the first figure is a time")
    func advantage() {
        let fast = Measurement(scenario: "s", server: "a", metrics: [Figure("after", 0.1, .seconds)])
        let slow = Measurement(scenario: "s", server: "b", metrics: [Figure("after", 0.4, .seconds)])
        #expect(fast.advantage(over: slow) == 4)
        #expect(fast.advantage(over: self.measurement("c", 1, 1)) == nil)
    }

    @Test("JSON has every figure and fault")
    func json() {
        #expect(
            Report.json([self.measurement("a\"b", 1.5, 2, lost: 1)]) == """
                [{"scenario":"pairs","server":"a\\"b","figures":[{"name":"delivered","value":1.500,"unit":"/s"},\
                {"name":"ack p50","value":2.000,"unit":"µs"}],"faults":{"lost":1,"duplicated":0,"reordered":0,\
                "misdirected":0,"unanswered":0,"refused":0},"notes":[]}]
                """)
    }

    @Test(
        "decimal places are rounded",
        arguments: [
            (0.005, 2, "0.01"), (1.999, 2, "2.00"), (12.0, 0, "12"), (-0.25, 1, "-0.3"), (-0.001, 2, "0.00"),
            (.infinity, 1, "-"),
        ])
    func decimals(_ value: Double, _ places: Int, _ text: String) { #expect(decimal(value, places: places) == text) }

    @Test("processor time and memory are read from /proc, whatever the program's name")
    func proc() throws {
        let stat = "42 (a) b ) S 1 42 42 0 -1 4194304 1 2 3 4 500 25 0 0 20 0 1 0 9 8 7"
        #expect(ProcessMetrics.cpuTicks(stat: stat) == 525)
        #expect(ProcessMetrics.cpuTicks(stat: "42 (a) S 1") == nil)
        #expect(ProcessMetrics.residentKibibytes(status: "Name:\ta\nVmRSS:\t    1234 kB\nThreads:\t1\n") == 1234)
        #expect(ProcessMetrics.residentKibibytes(status: "Name:\ta\n") == nil)
    }
}
