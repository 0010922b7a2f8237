import APIKit
import ByteCodec
import ChatModel
import Store
import WuKongTranslation

/// Where apps may upload. The bytes themselves go to the gateways of files: the address that is given out here is good
/// for one upload. Source: TangSengDaoDao server, `GET /v1/file/upload`, and its apps.
enum FileRoutes {
    static let routes: [Route] = [
        Route("GET", "/v1/file/upload", Self.address)
    ]

    /// `path` names the channel and the file: `/1/ling/a.png`. `type` is what the file is for: `chat`, `common`, ...
    /// For a channel that the person is not in, it is a place for none in particular: nobody learns here that there is
    /// one.
    @Sendable static func address(_ call: BusinessCall) throws(APIFailure) {
        let person = call.person
        let channel = try Self.channel(call.request.query["path"], asker: person.name)
        let key = FileLinkKey(random: (0..<26).map { _ in UInt8.random(in: 0...255) })
        let base = call.services.messageAddress(asked: call.request.serverAddress) ?? ""
        call.write { store throws(StoreError) in
            let conversation = try channel.flatMap { (channel) throws(StoreError) in
                try store.reading.conversation(channel, of: person.user)?.id
            }
            try store.files.makeUploadLink(
                UploadLink(
                    key: key, owner: person.user, transferClass: .attachment, conversation: conversation, purpose: nil))
        } answer: { _ in
            .json(.fields(("url", .string(base + APIPaths.link(key)))))
        }
    }

    /// The channel of a chat; a path of another shape is for no channel in particular.
    private static func channel(_ path: String?, asker: UserName) throws(APIFailure) -> BusinessChannel? {
        let parts = (path ?? "").split(separator: "/")
        guard parts.count >= 3, let type = Int64(parts[0]) else { return nil }
        return try? BusinessChannel(id: String(parts[1]), type: type, asker: asker)
    }
}
