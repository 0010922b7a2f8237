package import APIKit
import ByteCodec

extension APIAnswer {
    /// `{"error":"...","status":404}`, the shape of every error of our own doors.
    package static func nativeFailure(_ failure: APIFailure) -> APIAnswer {
        var answer = APIAnswer.failure(failure)
        answer.body = JSONValue.object([
            JSONValue.Member("error", .string(failure.message)),
            JSONValue.Member("status", .integer(Int64(failure.status))),
        ]).serialized()
        return answer
    }
}
