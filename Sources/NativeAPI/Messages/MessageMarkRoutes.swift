import APIKit
import Broker
import ByteCodec
import ChatModel
import ContentTranslation
import Store

/// Routes for messages that were sent before: edits, reactions and other marks.
enum MessageMarkRoutes {
    private static let value = Shape.reference("Message")
    private static let emoji = Field.required("emoji", .text(1...16, .plain), "An emoji, or the name of a picture.")

    static let routes: [NativeRoute] = [
        NativeRoute(
            "PATCH", "/messages/{message}", "edit", "Gives a message, or what it shows, another text.",
            path: [.message], body: [.required("text", .text(1...NativeBounds.textScalars))],
            answer: .ok(Self.value),
            problems: [
                .noSuchMessage, .notAuthor, .windowOver, .switchedOff, .alreadyGone, .mayNotSend, .notApplicable,
                .tooMany, .wordNotAllowed, .textTooLong, .notMember, .disbanded,
            ], Self.edit),
        NativeRoute(
            "POST", "/messages/{message}/recall", "recall", "Takes a message back for everybody.", path: [.message],
            answer: .ok(Self.value),
            problems: [
                .noSuchMessage, .notAuthor, .windowOver, .switchedOff, .alreadyGone, .notMember, .disbanded,
            ], Self.recall),
        NativeRoute(
            "DELETE", "/messages/{message}", "deleteForMe", "Deletes a message for the person who asks.",
            path: [.message], answer: .done, problems: [.noSuchMessage, .notMember], Self.hide),
        NativeRoute(
            "PUT", "/messages/{message}/reactions/{emoji}", "react", "Adds a reaction.", path: [.message, Self.emoji],
            answer: .ok(Self.value),
            problems: [
                .noSuchMessage, .reactionNotAllowed, .alreadyGone, .mayNotSend, .tooMany, .notMember, .disbanded,
            ], Self.react),
        NativeRoute(
            "DELETE", "/messages/{message}/reactions/{emoji}", "unreact", "Cancels a reaction.",
            path: [.message, Self.emoji], answer: .ok(Self.value),
            problems: [.noSuchMessage, .alreadyGone, .notMember, .disbanded], Self.unreact),
        NativeRoute(
            "PUT", "/messages/{message}/pin", "pin", "Pins a message for everybody.", path: [.message],
            answer: .ok(Self.value), problems: Self.pinProblems, Self.pin),
        NativeRoute(
            "DELETE", "/messages/{message}/pin", "unpin", "Unpins a message.", path: [.message],
            answer: .ok(Self.value), problems: Self.pinProblems, Self.unpin),
        NativeRoute(
            "GET", "/messages/{message}/receipts", "receipts", "Who has read a message, and who has not.",
            path: [.message],
            answer: .ok(
                .object([
                    .required(
                        "read", .list(.object([.required("name", .anyText), .required("time", .count)]), 0...1_000)),
                    .required("unread", .list(.anyText, 0...1_000)),
                ])), problems: [.noSuchMessage], Self.receipts),
    ]

    private static let pinProblems: [ProblemCode] = [
        .noSuchMessage, .notManager, .alreadyGone, .notApplicable, .tooMany, .notMember, .disbanded,
    ]

    /// Changes a message that the person can see, and answers with what it is then.
    private static func change(
        _ call: NativeCall,
        _ body: @escaping @Sendable (WriteTransaction, MessagePlace, Actor) throws(StoreError) -> Void
    ) {
        let (place, reader, actor) = (call.place, call.reader, Actor(call.user))
        call.write { store throws(StoreError) in
            _ = try reader.knownMessage(place, in: store.reading)
            try body(store, place, actor)
            return try reader.knownMessage(place, in: store.reading)
        } answer: { message in
            .native { message.write(to: &$0) }
        }
    }

    // MARK: For everybody

    @Sendable private static func edit(_ call: NativeCall) throws(Problem) {
        let (place, reader, text) = (call.place, call.reader, call.input.known("text"))
        call.read { store throws(StoreError) in
            try reader.knownMessage(place, in: store)
        } then: { message in
            guard let edited = NativeContentCodec.stored(message.content, withText: text) else {
                return call.fail(Problem(.notApplicable, "the text of such a message cannot be changed"))
            }
            // The word list is held against an edit as against a message.
            call.services.broker.screen(edited, from: .user) { screening in
                if let refusal = screening?.refusal { return call.fail(Problem(refusal)) }
                let (body, words) = (screening?.content.body ?? edited.body, screening?.flagged ?? [])
                self.change(call) { store, place, actor throws(StoreError) in
                    let change = try store.messages.edit(
                        place, newBody: body, isJSONObject: true, wire: .native, by: actor)
                    if !words.isEmpty, change.revision > 0 {
                        try store.moderation.addFlagged(words, at: place, by: actor.user)
                    }
                }
            }
        }
    }

    @Sendable private static func recall(_ call: NativeCall) throws(Problem) {
        self.change(call) { store, place, actor throws(StoreError) in try store.messages.recall(place, by: actor) }
    }

    @Sendable private static func pin(_ call: NativeCall) throws(Problem) { self.setPinned(true, call) }

    @Sendable private static func unpin(_ call: NativeCall) throws(Problem) { self.setPinned(false, call) }

    private static func setPinned(_ isPinned: Bool, _ call: NativeCall) {
        self.change(call) { store, place, actor throws(StoreError) in
            _ = try store.messages.setPinned(place, isPinned, by: actor)
        }
    }

    @Sendable private static func react(_ call: NativeCall) throws(Problem) {
        guard call.store.rules.allowsReaction(call.input.known("emoji")) else {
            throw Problem(.reactionNotAllowed, "no such reaction is allowed here", setting: "messages.reactions")
        }
        self.setReaction(true, call)
    }

    @Sendable private static func unreact(_ call: NativeCall) throws(Problem) { self.setReaction(false, call) }

    /// The store switches; here the wish may be said again.
    private static func setReaction(_ isOn: Bool, _ call: NativeCall) {
        let emoji = call.input.known("emoji")
        self.change(call) { store, place, actor throws(StoreError) in
            let counts = try store.reading.messages.reactionCounts(
                of: [place.sequence], in: place.conversation, for: actor.user)
            let isThere = counts.contains { $0.isOwn && $0.name.utf8.elementsEqual(emoji.utf8) }
            if isThere != isOn { try store.messages.toggleReaction(place, name: emoji, by: actor.user) }
        }
    }

    // MARK: For oneself

    @Sendable private static func hide(_ call: NativeCall) throws(Problem) {
        let (place, reader) = (call.place, call.reader)
        call.write { store throws(StoreError) in
            // Asked for again, it is gone already.
            guard try reader.knows(place, in: store.reading) else { throw .refused(.noSuchMessage) }
            try store.messages.hide([place], for: reader.user)
        } answer: {
            .done
        }
    }

    @Sendable private static func receipts(_ call: NativeCall) throws(Problem) {
        let (place, reader) = (call.place, call.reader)
        call.read { store throws(StoreError) in
            let access = HistoryAccess.member(reader.user)
            _ = try reader.knownMessage(place, in: store)
            return (
                read: try store.messages.readers(of: place, limit: 1_000, as: access),
                unread: try store.messages.nonReaders(of: place, limit: 1_000, as: access)
            )
        } answer: { found in
            .native { writer in
                writer.beginObject()
                writer.key("read")
                writer.beginArray()
                for person in found.read {
                    writer.beginObject()
                    writer.text("name", person.name.text)
                    writer.number("time", person.readAtMilliseconds ?? 0)
                    writer.endObject()
                }
                writer.endArray()
                writer.key("unread")
                writer.beginArray()
                for person in found.unread { writer.string(person.name.text) }
                writer.endArray()
                writer.endObject()
            }
        }
    }
}
