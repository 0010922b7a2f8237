import APIKit
import Broker
import ByteCodec
import ChatModel
import Profiles
import Store

/// People, and what a person says of themselves.
enum PeopleRoutes {
    static let routes: [NativeRoute] = [
        NativeRoute(
            "GET", "/people", "people", "People by name, those whose name or display name has the query in it.",
            query: [.optional("query", .text(0...64, .plain)), .cursor, .limit],
            answer: .ok(.page(of: .reference("User"))), Self.list),
        NativeRoute(
            "GET", "/people/{person}", "person", "One person.", path: [.person],
            answer: .ok(.reference("User")), problems: [.noSuchUser], Self.one),
        NativeRoute(
            "PUT", "/people/{person}/remark", "setRemark",
            "Sets what the person who asks calls a friend; empty removes it.",
            path: [.person], body: [.required("remark", .text(0...PeopleLimits.nameScalars, .plain))],
            answer: .ok(.reference("User")), problems: [.noSuchUser, .notApplicable], Self.setRemark),
        NativeRoute(
            "PATCH", "/me", "changeMe", "Changes what the person says of themselves.",
            body: [.optional("displayName", .text(0...PeopleLimits.nameScalars, .plain), "Empty removes it.")],
            answer: .ok(.reference("User")), problems: [.unusableField], Self.changeMe),
        NativeRoute(
            "PUT", "/me/avatar", "setAvatar", "Makes an uploaded file the person's picture.",
            body: [.required("file", .text(0...64, .plain), "Key of the file; empty removes the picture.")],
            answer: .ok(.reference("User")), problems: [.noSuchFile, .fileIncomplete], Self.setAvatar),
    ]

    /// Longest wait for another user system, milliseconds.
    private static let waitMilliseconds: Int64 = 50
    /// The same after a change.
    private static let changeWaitMilliseconds: Int64 = 3_000

    @Sendable private static func list(_ call: NativeCall) throws(Problem) {
        let limit = call.limit
        let (query, after) = (call.input.text("query") ?? "", call.input.text("cursor") ?? "")
        let (native, user, broker) = (call.native, call.user, call.services.broker)
        // What is looked for may be nowhere: then all people are looked at.
        let asker = native.profiles.showsOnlyAcquainted ? user : nil
        call.read(as: query.isEmpty && asker == nil ? .page : .long) { store throws(StoreError) in
            try store.people.page(matching: query, after: after, knownTo: asker, limit: limit + 1)
        } then: { found in
            let names = Array(found.prefix(limit))
            let next = found.count > limit ? names.last?.text : nil
            native.profiles.lookUp(names, by: user, in: nil, waitMilliseconds: Self.waitMilliseconds) { infos in
                let known = infos.filter { $0.isKnown || $0.isPlaceholder }
                broker.online(Set(known.map(\.name))) { online in
                    call.answer { writer in
                        writer.page(next: next) { writer in
                            for info in known {
                                NativeUser(info, isOnline: online.contains(info.name)).write(to: &writer)
                            }
                        }
                    }
                }
            }
        }
    }

    @Sendable private static func one(_ call: NativeCall) throws(Problem) {
        self.answerProfile(try call.namedPerson(), waitMilliseconds: self.waitMilliseconds, call)
    }

    private static func answerProfile(_ name: UserName, waitMilliseconds: Int64, _ call: NativeCall) {
        let broker = call.services.broker
        call.native.profiles.lookUp([name], by: call.user, in: nil, waitMilliseconds: waitMilliseconds) { infos in
            guard let info = infos.first, info.isKnown || info.isPlaceholder else {
                return call.fail(Problem(.noSuchUser, "there is no such person"))
            }
            broker.online([name]) { online in
                call.answer { NativeUser(info, isOnline: online.contains(name)).write(to: &$0) }
            }
        }
    }

    @Sendable private static func setRemark(_ call: NativeCall) throws(Problem) {
        let name = try call.namedPerson()
        let (user, remark) = (call.user, call.input.known("remark"))
        call.write { store throws(StoreError) in
            guard let other = try store.reading.people.user(named: name) else { throw .refused(.noSuchUser) }
            _ = try store.friends.setRemark(other.id, of: user, remark)
        } then: { _ in
            Self.answerProfile(name, waitMilliseconds: Self.changeWaitMilliseconds, call)
        }
    }

    @Sendable private static func changeMe(_ call: NativeCall) throws(Problem) {
        let (user, name) = (call.user, call.person.name)
        let displayName = call.input.text("displayName")
        if let displayName, !displayName.isEmpty, displayName.allSatisfy(\.isWhitespace) {
            throw Problem(.unusableField, "displayName is blank", field: "displayName")
        }
        call.write { store throws(StoreError) in
            if let displayName { _ = try store.people.setProfile(of: user, ProfilePatch(displayName: displayName)) }
        } then: { _ in
            Self.answerProfile(name, waitMilliseconds: Self.changeWaitMilliseconds, call)
        }
    }

    @Sendable private static func setAvatar(_ call: NativeCall) throws(Problem) {
        let (user, name, text) = (call.user, call.person.name, call.input.known("file"))
        let key = FileKey(text)
        guard text.isEmpty || key != nil else { throw Problem(.noSuchFile, "there is no such file") }
        call.write { store throws(StoreError) in
            try store.files.setPicture(of: .person(user, isSmall: false), to: key, by: Actor(user))
            _ = try store.people.setProfile(of: user, ProfilePatch(avatar: key.map(APIPaths.file) ?? ""))
        } then: { _ in
            Self.answerProfile(name, waitMilliseconds: Self.changeWaitMilliseconds, call)
        }
    }
}

extension NativeCall {
    /// The person that the path names.
    func namedPerson() throws(Problem) -> UserName {
        guard let name = UserName(self.input.known("person")) else {
            throw Problem(.noSuchUser, "there is no such person")
        }
        return name
    }

    /// Entries of the page that is asked for.
    var limit: Int { self.input.integer("limit").map { Int($0) } ?? NativeBounds.usualPage }
}

extension Shape {
    /// A page of values, with where the next one begins.
    static func page(of shape: Shape) -> Shape {
        .object([
            .required("items", .list(shape, 0...Int(NativeBounds.page.upperBound))), .optional("next", .anyText),
        ])
    }
}

extension JSONWriter {
    /// Writes a page: the items that `write` writes, and the cursor of the next one while there is more.
    mutating func page(next: String?, _ write: (inout JSONWriter) -> Void) {
        self.beginObject()
        self.key("items")
        self.beginArray()
        write(&self)
        self.endArray()
        self.text("next", next)
        self.endObject()
    }
}
