import Store
import Testing

@Suite("Renderers of kinds")
struct KindRendererTests {
    @Test(
        "what clients can draw is taken",
        arguments: [
            "", "{}", #"{"title":"a.b","picture":"p","link":"l"}"#,
            #"{"fields":[{"label":"金额","path":"order.amount"}]}"#, #"{"fields":[]}"#,
        ])
    func takes(_ text: String) {
        #expect(KindRenderer.problem(text) == nil)
    }

    @Test(
        "anything else is refused",
        arguments: [
            "[]", "x", #"{"title":1}"#, #"{"title":""}"#, #"{"script":"x"}"#, #"{"fields":[{"label":"a"}]}"#,
            #"{"fields":[{"label":"a","path":"b","x":"c"}]}"#, #"{"fields":{}}"#, #"{"link":"a\u0007"}"#,
        ])
    func refuses(_ text: String) {
        #expect(KindRenderer.problem(text) != nil)
    }

    @Test("the bounds are those of the text, of a path and of the fields")
    func bounds() {
        let path = String(repeating: "茶", count: KindRenderer.maximumScalars)
        #expect(KindRenderer.problem(#"{"title":"\#(path)"}"#) == nil)
        #expect(KindRenderer.problem(#"{"title":"\#(path)茶"}"#) != nil)
        let field = #"{"label":"a","path":"b"}"#
        func fields(_ count: Int) -> String {
            #"{"fields":[\#(Array(repeating: field, count: count).joined(separator: ","))]}"#
        }
        #expect(KindRenderer.problem(fields(KindRenderer.maximumFields)) == nil)
        #expect(KindRenderer.problem(fields(KindRenderer.maximumFields + 1)) != nil)
        let spaces = String(repeating: " ", count: KindRenderer.maximumBytes)
        #expect(KindRenderer.problem("{\(spaces)}") != nil)
    }
}
