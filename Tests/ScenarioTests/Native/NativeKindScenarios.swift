import ByteCodec
import TeahouseTesting
import Testing

/// Kinds of messages that apps define, by the native API.
struct NativeKindScenarios {
    @Test("registered kinds are served with the renderer that the operator set, which stays until it is set anew")
    func kinds() throws {
        let server = try TestServer()
        let romeo = try NativeClient(server, "romeo")
        #expect(try romeo.done("GET", "/kinds")["items"]?.array?.isEmpty == true)
        let renderer = #"{"title":"title","fields":[{"label":"金额","path":"order.amount"}],"link":"url"}"#
        let set = server.ctl(
            "kind", "set", "501", "--name", "gift", "--degrade", "请升级应用", "--type-title", "红包", "--summary",
            "收到红包", "--renderer", renderer)
        #expect(set.code == .done, "\(set.output)")
        let kind = try #require(try romeo.get("/kinds")["items"]?.array?.first)
        #expect(kind["kind"]?.integer == 501 && kind["name"]?.string == "gift")
        #expect(kind["degrade"]?.string == "请升级应用" && kind["renderer"]?["link"]?.string == "url")
        #expect(kind["renderer"]?["fields"]?.array?.first?["path"]?.string == "order.amount")
        #expect(server.ctl("kind", "set", "501", "--summary", "新红包").code == .done)
        #expect(try romeo.get("/kinds")["items"]?.array?.first?["renderer"]?["title"]?.string == "title")
        #expect(server.ctl("kind", "set", "501", "--renderer", #"{"script":"x"}"#).code != .done)
        #expect(server.ctl("kind", "disable", "501").code == .done)
        #expect(try romeo.get("/kinds")["items"]?.array?.first?["renderer"] == nil)
    }
}
