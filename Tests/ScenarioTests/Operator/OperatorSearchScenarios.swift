import ByteCodec
import CommandLineKit
import Localization
import TeahouseTesting
import Testing

/// Search by the operator: over what everybody wrote, and only with a reason.
struct OperatorSearchScenarios {
    private func texts(_ run: ControlRun) -> [String] {
        (run.json["found"]?.array ?? []).map { $0["text"]?.string ?? "?" }
    }

    private func server() throws -> TestServer {
        let server = try TestServer()
        try server.group("tea", ["romeo", "juliet"])
        let (romeo, juliet) = (try server.connect("romeo"), try server.connect("juliet"))
        #expect(try romeo.publish("今天喝龙井", to: "tea", group: true).reason == 1)
        #expect(try juliet.publish("龙井 is tea", to: "romeo").reason == 1)
        #expect(try juliet.publish("nothing of it", to: "tea", group: true).reason == 1)
        server.server.search.catchUp()
        return server
    }

    @Test(
        "an operator finds what anybody said, in all conversations or one, of all or one; the audit log has words and reason"
    )
    func find() throws {
        let server = try self.server()
        let silent = server.ctl("message", "search", "龙井")
        #expect(silent.code == .refused && silent.error.contains("say why"), "\(silent.error)")
        let why = ["--why", "ming asks for the order", "--json"]
        #expect(self.texts(server.ctl(["message", "search", "龙井"] + why)) == ["龙井 is tea", "今天喝龙井"])
        #expect(self.texts(server.ctl(["message", "search", "龙井", "--conversation", "tea"] + why)) == ["今天喝龙井"])
        #expect(self.texts(server.ctl(["message", "search", "龙井", "--sender", "juliet"] + why)) == ["龙井 is tea"])
        #expect(self.texts(server.ctl(["message", "search", "TEA", "龙井"] + why)) == ["龙井 is tea"])
        let one = server.ctl(["message", "search", "龙井", "--limit", "1"] + why)
        #expect(self.texts(one) == ["龙井 is tea"] && one.json["next"]?.string != nil)
        let shown = server.ctl("message", "search", "今天", "--why", "he asks")
        #expect(shown.code == .done && shown.output.contains("今天喝龙井") && shown.isHarmless, "\(shown.output)")
        #expect(server.ctl(["message", "search", "!!!"] + why).code == .refused)
        #expect(server.ctl(["message", "search", "a", "--conversation", "moon"] + why).code == .notFound)
        let log = server.ctl("audit", "list", "--json", "--limit", "50").output
        #expect(log.contains("message.search") && log.contains("ming asks for the order") && log.contains("龙井"))
    }

    @Test("what was recalled is not found; the index tells its state, and is built anew when asked, which is audited")
    func rebuild() throws {
        let server = try self.server()
        #expect(server.ctl("message", "recall", "tea", "1").code == .done)
        let again = server.ctl("message", "search", "龙井", "--why", "w", "--json")
        #expect(self.texts(again) == ["龙井 is tea"])
        let status = server.ctl("search", "status", "--json").json
        #expect(status["state"]?.string == "ready" && (status["messages"]?.integer ?? 0) >= 3, "\(status)")
        #expect((status["bytes"]?.integer ?? 0) > 0 && (status["indexedTo"]?.integer ?? 0) > 0)
        #expect(server.ctl("search", "status").output.contains("ready"))
        #expect(server.ctl(["search", "status"], .chinese).output.contains("就绪"))
        #expect(server.ctl("search", "rebuild").code == .done)
        server.server.search.catchUp()
        let after = server.ctl("search", "status", "--json").json
        #expect(after["rebuilds"]?.integer == 1 && after["state"]?.string == "ready", "\(after)")
        #expect(self.texts(server.ctl("message", "search", "龙井", "--why", "w", "--json")) == ["龙井 is tea"])
        #expect(server.ctl("audit", "list", "--json", "--limit", "50").output.contains("search.rebuild"))
    }
}
