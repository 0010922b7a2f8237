import APIKit
import ByteCodec
import ChatModel
import Store

/// Routes for receipts.
enum ReceiptRoutes {
    static let routes: [Route] = [
        Route("POST", "/v1/message/readed", Self.report),
        Route("GET", "/v1/messages/{message}/receipt", Self.readers),
    ]

    /// Reports messages as read. What needs no receipt is skipped; who is no member is refused.
    @Sendable static func report(_ call: BusinessCall) throws(APIFailure) {
        let fields = try call.request.fields()
        let channel = try call.channel(fields)
        let numbers = try fields.integers("message_ids", most: MessageLimits.placesPerCall)
        guard !numbers.isEmpty else { throw .bad("message_ids is missing") }
        let user = call.user
        call.write { store throws(StoreError) in
            let conversation = try store.reading.knownConversation(channel, of: user)
            var sequences: [Int64] = []
            for number in numbers {
                let place = try store.reading.messages.place(of: MessageID(rawValue: number), in: conversation.id)
                if let place { sequences.append(place.sequence) }
            }
            guard !sequences.isEmpty else { throw .refused(.noSuchMessage) }
            try store.messages.markRead(sequences, in: conversation.id, by: user)
        } answer: { _ in
            .ok
        }
    }

    /// Readers of a message in one of the person's conversations, or with `readed=0` the other members; page by page.
    @Sendable static func readers(_ call: BusinessCall) throws(APIFailure) {
        guard let number = Int64(try call.request.parameter("message")), number > 0 else {
            throw .bad("the message in the path is no number")
        }
        let haveRead = try call.request.queryInteger("readed", otherwise: 1) == 1
        let page = Page(
            index: try call.request.queryInteger("page_index", otherwise: 1),
            size: try call.request.queryInteger("page_size", otherwise: 100))
        let named = call.request.query["channel_id"]?.isEmpty == false ? try call.queryChannel() : nil
        let user = call.user
        call.read { store throws(StoreError) in
            let place = try store.place(ofMessage: MessageID(rawValue: number), named: named, of: user)
            return try page.of { after, limit throws(StoreError) in
                haveRead
                    ? try store.messages.readers(of: place, after: after, limit: limit, as: .member(user))
                    : try store.messages.nonReaders(of: place, after: after, limit: limit, as: .member(user))
            }
        } answer: { readers in
            .json(
                .array(
                    readers.map { reader in
                        .fields(
                            ("uid", .string(reader.name.text)),
                            ("name", .string(reader.displayName ?? reader.name.text)),
                            ("readed_at", .integer((reader.readAtMilliseconds ?? 0) / 1_000)))
                    }))
        }
    }
}

/// A page of a list that is counted in pages, from 1.
struct Page: Sendable {
    /// 1...1000.
    let index: Int
    /// 1...1000.
    let size: Int

    init(index: Int64, size: Int64) {
        self.index = Int(max(1, min(index, 1_000)))
        self.size = Int(size <= 0 ? 100 : min(size, 1_000))
    }

    /// How many entries come before it.
    var offset: Int { (self.index - 1) * self.size }

    /// The page of a list that is read from a person on.
    func of(
        _ read: (UserID?, Int) throws(StoreError) -> [MessageReader]
    ) throws(StoreError) -> [MessageReader] {
        var after: UserID?
        for _ in 1..<self.index {
            let skipped = try read(after, self.size)
            guard skipped.count == self.size, let last = skipped.last else { return [] }
            after = last.id
        }
        return try read(after, self.size)
    }
}

extension ReadTransaction {
    /// Where a message is that was named without its channel: in one of the person's conversations.
    ///
    /// - Throws: `refused(.noSuchMessage)`.
    func place(
        ofMessage id: MessageID, named channel: BusinessChannel?, of user: UserID
    ) throws(StoreError) -> MessagePlace {
        if let channel { return try self.place(id, channel, of: user) }
        if let place = try self.imports.place(of: String(id.rawValue)),
            try self.conversations.member(user, in: place.conversation) != nil
        {
            return place
        }
        // Ids begin with the time: only conversations that lived then are looked at.
        for line in try self.conversations.page(of: user) {
            let conversation = line.conversation
            let (from, to) = (conversation.createdAtMilliseconds, conversation.activeAtMilliseconds)
            guard id.milliseconds >= from - 60_000, id.milliseconds <= to + 60_000 else { continue }
            if let place = try self.messages.place(of: id, in: conversation.id) { return place }
        }
        throw .refused(.noSuchMessage)
    }
}
