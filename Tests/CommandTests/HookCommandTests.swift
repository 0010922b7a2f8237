import AdminAPI
import AdminService
import CommandLineKit
import Testing

@Suite("teahouse ctl hook") struct HookCommandTests {
    @Test("functions are listed with how their calls go, and switched")
    func functions() throws {
        let fixture = try Fixture { options in
            options.functions = ServerFunctions(
                list: {
                    [
                        AdminHookFunction(
                            name: "_messageReceived", calls: 9, failures: 2, rejections: 1, lastMilliseconds: 30,
                            lastError: "it answered 500")
                    ]
                }, dropped: { 4 }, setDisabled: { _, _ in })
        }
        let listed = fixture.ctl("hook", "list").output
        for text in ["_messageReceived", "active", "9", "30", "it answered 500", "dropped events: 4"] {
            #expect(listed.contains(text), "\(listed)")
        }
        #expect(fixture.ctl("hook", "list", language: .chinese).output.contains("放弃的通知：4"))
        #expect(fixture.ctl("hook", "list", "--json").output.contains(#""lastMilliseconds":30"#))
        #expect(
            fixture.ctl("hook", "disable", "_messageReceived").output
                == "_messageReceived is not called until the next start\n")
        #expect(fixture.ctl("hook", "enable", "_messageReceived").output == "_messageReceived is called\n")
        #expect(fixture.ctl("hook", "enable", "_no").code == .notFound)
    }

    @Test("a server that calls none says which setting is missing")
    func none() throws {
        let outcome = try Fixture().ctl("hook", "list")
        #expect(outcome.code == .refused && outcome.error.contains("leancloud.hooks_url"))
    }
}
