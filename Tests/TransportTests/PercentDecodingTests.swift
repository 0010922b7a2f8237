import Testing

@testable import Transport

struct PercentDecodingTests {
    @Test(
        "percent-encoded UTF-8 is decoded",
        arguments: [
            ("plain", "plain"), ("a%20b", "a b"), ("%E8%8C%B6", "茶"), ("a+b", "a+b"), ("%2f%2F", "//"), ("", ""),
        ])
    func decodes(text: String, expected: String) { #expect(PercentDecoding.decode(text) == expected) }

    @Test(
        "what is broken, no UTF-8, or a control character is refused",
        arguments: [
            "%", "%4", "%4g", "%C3%28", "%00", "%0D%0A", "%7f",
        ])
    func refuses(text: String) { #expect(PercentDecoding.decode(text) == nil) }

    @Test("a path is cut before it is decoded")
    func path() {
        #expect(PercentDecoding.segments(ofPath: "/v1/a%2Fb/") == ["v1", "a/b", ""])
        #expect(PercentDecoding.segments(ofPath: "/") == [""])
        #expect(PercentDecoding.segments(ofPath: "/a/%zz") == nil)
    }

    @Test("a query is read in order, with blanks, empty values and repeated names")
    func query() throws {
        let query = try #require(HTTPQuery("uid=a%26b&x=1&empty=&bare&x=2&t=a+b%2B"))
        #expect(query["uid"] == "a&b" && query["x"] == "1" && query.all("x") == ["1", "2"])
        #expect(query["empty"] == "" && query["bare"] == "" && query["t"] == "a b+" && query["none"] == nil)
        #expect(try #require(HTTPQuery(nil))["uid"] == nil)
    }

    @Test("a query that is broken or endless is refused")
    func brokenQuery() {
        #expect(HTTPQuery("a=%zz") == nil)
        #expect(HTTPQuery(Array(repeating: "a=1", count: HTTPQuery.maximumMembers).joined(separator: "&")) != nil)
        #expect(HTTPQuery(Array(repeating: "a=1", count: HTTPQuery.maximumMembers + 1).joined(separator: "&")) == nil)
    }
}
