import ByteCodec
import Store
import Testing

@testable import APIKit

struct APIFieldsTests {
    private func fields(_ json: String) throws -> APIFields { APIFields(try JSONValue(parsing: json)) }

    @Test("texts, numbers and switches are read as WuKongIM's clients write them")
    func values() throws {
        let fields = try self.fields(
            #"{"uid":"u1","n":3,"big":"9007199254740993","on":1,"off":0,"flag":true,"none":null,"list":["a","b"]}"#)
        #expect(try fields.text("uid") == "u1")
        #expect(try fields.integer("n") == 3)
        #expect(try fields.integer("missing", otherwise: 15) == 15)
        #expect(try fields.largeInteger("big") == 9_007_199_254_740_993)
        #expect(try fields.isOn("on") && fields.isOn("flag") && !fields.isOn("off") && !fields.isOn("none"))
        #expect(try fields.texts("list", most: 2) == ["a", "b"])
        #expect(try fields.texts("missing", most: 2) == [])
        #expect(try fields.optionalText("none") == nil)
    }

    @Test(
        "a value of another type is refused by name, not guessed",
        arguments: [
            #"{"uid":7}"#, #"{"uid":""}"#, #"{"uid":null}"#, "{}",
        ])
    func wrongText(json: String) throws {
        let fields = try self.fields(json)
        let failure = #expect(throws: APIFailure.self) { try fields.text("uid") }
        #expect(failure?.status == 400 && failure?.message.contains("uid") == true)
    }

    @Test("an array is bounded, and its wrong element is named")
    func arrays() throws {
        let fields = try self.fields(#"{"list":["a",2],"channels":[{"id":1}]}"#)
        #expect(throws: APIFailure.bad("list has more than 1 elements")) { try fields.texts("list", most: 1) }
        #expect(throws: APIFailure.bad("list[1] must be a text")) { try fields.texts("list", most: 5) }
        let channels = try fields.objects("channels", most: 5)
        #expect(throws: APIFailure.bad("channels[0].id must be a text")) { try channels[0].text("id") }
    }

    @Test("a payload is strict base64")
    func base64() throws {
        #expect(try self.fields(#"{"payload":"e30="}"#).base64("payload") == Array("{}".utf8))
        #expect(throws: APIFailure.self) { try self.fields(#"{"payload":"e30"}"#).base64("payload") }
    }

    @Test(
        "what the store says has a number of HTTP, and busy says when to ask again",
        arguments: [
            (StoreError.busy, 503, Int64?(1)), (.full, 507, nil), (.notFound("x"), 404, nil), (.exists("x"), 409, nil),
            (.invalid("x"), 400, nil), (.refused(.notManager), 403, nil), (.refused(.noSuchMessage), 404, nil),
            (.fatal("/secret/path"), 500, nil),
        ])
    func storeErrors(error: StoreError, status: Int, retry: Int64?) {
        let failure = APIFailure(error)
        #expect(failure.status == status && failure.retryAfterSeconds == retry)
        #expect(!failure.message.contains("/secret"))
    }

    @Test("a no is worded as WuKongIM does")
    func shape() throws {
        let answer = APIAnswer.failure(APIFailure(503, "busy", retryAfterSeconds: 2))
        #expect(try JSONValue(parsing: answer.body) == JSONValue(parsing: #"{"msg":"busy","status":503}"#))
        #expect(answer.headers.contains { $0 == ("Retry-After", "2") })
        #expect(String(decoding: APIAnswer.ok.body, as: UTF8.self) == #"{"status":200}"#)
    }
}
