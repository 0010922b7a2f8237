import AdminAPI
import AdminService
import Diagnostics
import Execution
import Testing

@Suite("The log for operators") struct LogRequestsTests {
    /// A log with a history, whose lines go nowhere else.
    private func log(_ time: ManualClock = ManualClock()) -> Log {
        Log(level: .debug, clock: time.clock, history: LogHistory(), write: { _ in })
    }

    private func lines(_ client: AdminClient, _ change: (inout AdminLogQuery) -> Void) throws -> [AdminLogLine] {
        var query = AdminLogQuery()
        change(&query)
        guard case .audit(.log(let lines)) = try client.ask(.audit(.log(query))) else {
            throw AdminError(.protocolError, "another answer was due")
        }
        return lines
    }

    @Test("lines are chosen by level, name, text and time, the newest of them in their order")
    func filters() throws {
        let time = ManualClock()
        let log = self.log(time)
        let fixture = try Fixture(clock: time.clock) { $0.log = log }
        let start = time.clock.wallMilliseconds()
        log.warning("tea_cold", ["user": .name("小明 \"x\"\n=")])
        time.advance(milliseconds: 1_000)
        log.info("tea_hot", ["cups": 3])
        log.error("pot_broken")
        let client = try fixture.client()
        #expect(try self.lines(client) { $0.event = "tea" }.map(\.event) == ["tea_cold", "tea_hot"])
        #expect(try self.lines(client) { $0.level = "error" }.map(\.event) == ["pot_broken"])
        #expect(try self.lines(client) { $0.contains = "小明" }.map(\.event) == ["tea_cold"])
        #expect(try self.lines(client) { $0.contains = "cups=3" }.map(\.text) == ["level=info event=tea_hot cups=3"])
        let later = try self.lines(client) {
            $0.event = "tea"
            $0.sinceMilliseconds = start + 1_000
        }
        #expect(later.map(\.event) == ["tea_hot"])
        let earlier = try self.lines(client) {
            $0.event = "tea"
            $0.untilMilliseconds = start + 1_000
        }
        #expect(earlier.map(\.event) == ["tea_cold"])
        let newest = try self.lines(client) {
            $0.event = "tea"
            $0.limit = 1
        }
        #expect(newest.map(\.event) == ["tea_hot"])
        let number = try #require(newest.first?.number)
        #expect(try self.lines(client) { $0.after = number }.first?.event == "pot_broken")
        #expect(client.refusal(of: .audit(.log(self.query(level: "loud"))))?.reason?.number == 153)
    }

    private func query(level: String) -> AdminLogQuery {
        var query = AdminLogQuery()
        query.level = level
        return query
    }

    @Test("a history keeps so many lines of so many bytes")
    func bounds() {
        let history = LogHistory()
        let log = Log(level: .info, history: history, write: { _ in })
        for number in 1...(LogHistory.maximumLines + 10) { log.info("line", ["number": .number(Int64(number))]) }
        log.info("long", ["text": .text(String(repeating: "茶", count: 2_000))])
        let lines = history.lines(limit: .max) { _ in true }
        #expect(lines.count == LogHistory.maximumLines)
        #expect(lines.first?.number == 12 && lines.last?.event == "long")
        #expect(lines.last?.text.utf8.count ?? 0 <= LogHistory.maximumLineBytes)
    }

    @Test(
        "a line for journald begins with its priority, and a hostile name stays inside its quotes",
        arguments: [("error", 3), ("warning", 4), ("info", 6), ("debug", 7)])
    func journald(_ level: String, _ priority: Int) {
        let written = Lock("")
        let log = Log(level: .debug, withTime: false, withPriority: true) { line in written.withLock { $0 += line } }
        let name = "a\"b\\c\nlevel=error \u{1B}[31m\u{202E}=茶"
        switch level {
        case "error": log.error("x", ["user": .name(name)])
        case "warning": log.warning("x", ["user": .name(name)])
        case "info": log.info("x", ["user": .name(name)])
        default: log.debug("x", ["user": .name(name)])
        }
        let quoted = #""a\"b\\c\nlevel=error \u001b[31m\u202e=茶""#
        #expect(written.withLock { $0 } == "<\(priority)>level=\(level) event=x user=\(quoted)\n")
    }
}
