package import APIKit
import ByteCodec

extension APIAnswer {
    /// `{"error":"...","status":404}`, the shape of every error of our own gateways; with `"setting":"join-mode"` when
    /// a team's rule or setting says no.
    package static func nativeFailure(_ failure: APIFailure) -> APIAnswer {
        var answer = APIAnswer.failure(failure)
        var members = [
            JSONValue.Member("error", .string(failure.message)),
            JSONValue.Member("status", .integer(Int64(failure.status))),
        ]
        if let setting = failure.setting { members.append(JSONValue.Member("setting", .string(setting))) }
        answer.body = JSONValue.object(members).serialized()
        return answer
    }
}

/// Parts that answers of our own gateways share.
enum NativeAnswer {
    /// True when an address from a profile can stand in the field `Location`.
    static func isLocation(_ address: String) -> Bool {
        !address.isEmpty && address.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    /// True when it also leads away from here: a redirect to one of our own paths might not end.
    static func isElsewhere(_ address: String) -> Bool {
        self.isLocation(address) && (address.hasPrefix("https://") || address.hasPrefix("http://"))
    }
}
