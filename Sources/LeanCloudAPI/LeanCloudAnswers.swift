import APIKit
import ByteCodec

extension APIAnswer {
    /// `{"code":401,"error":"Unauthorized."}`. Source: LeanCloud REST guide, "Response format".
    static func leanCloud(_ failure: APIFailure) -> APIAnswer {
        var answer = APIAnswer.failure(failure)
        answer.body =
            JSONValue.fields(
                ("code", .integer(Int64(failure.code ?? Self.code(ofStatus: failure.status)))),
                ("error", .string(failure.message))
            ).serialized()
        return answer
    }

    /// Error code of a failure that has no number of its own. Source: LeanCloud error codes: 1 for everything that has
    /// none.
    private static func code(ofStatus status: Int) -> Int32 {
        switch status {
        case 401, 403, 429: Int32(status)
        default: 1
        }
    }

    /// `{}`, LeanCloud's plain yes.
    static let nothing = APIAnswer.json(.object([]))
}

extension JSONValue {
    static func fields(_ members: (String, JSONValue)...) -> JSONValue {
        .object(members.map { Member($0.0, $0.1) })
    }
}
