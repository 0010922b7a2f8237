import APIKit
import Accounts
import ByteCodec
import ChatModel
import Glibc
import Profiles
import QRCode
import Store

/// Links by which people come in, each good for one: administrators make them, and whoever has one signs up with it.
enum InvitationRoutes {
    private static let code = Field.required("code", .text(1...64, .plain))

    static let routes: [NativeRoute] = [
        NativeRoute(
            "POST", "/invitations", "invite",
            "Makes a link by which one person comes in. The code is shown now and in answers to the same clientToken.",
            body: [
                .optional("name", NativeID.person, "Name that the person gets; of their choice without it."),
                .optional("displayName", .text(1...PeopleLimits.nameScalars, .plain)),
                .optional("hours", .integer(InvitationBounds.hours), "72 by default."), .clientToken,
            ],
            answer: .made(
                .object([
                    .required("id", .text(1...18, .digits)), .required("code", .anyText),
                    .required("path", .anyText), .required("address", .anyText, "With the name that was asked for."),
                    .required("expires", .count), .required("qr", .anyText, "Path of a picture of the address."),
                ])),
            problems: [.notAdministrator, .exists, .tooMany, .tokenConflict, .unusableField], Self.invite),
        NativeRoute(
            "GET", "/invitations", "invitations", "Invitations that are open, the newest first.",
            query: [.optional("cursor", .text(1...18, .digits)), .limit],
            answer: .ok(
                .page(
                    of: .object([
                        .required("id", .text(1...18, .digits)), .required("inviter", .anyText),
                        .optional("name", .anyText), .optional("displayName", .anyText), .required("time", .count),
                        .required("expires", .count),
                    ]))),
            problems: [.notAdministrator], Self.list),
        NativeRoute(
            "DELETE", "/invitations/{code}", "takeInvitationBack", "Takes an open invitation back, by its id.",
            path: [.required("code", .text(1...18, .digits), "Id of the invitation.")], answer: .done,
            problems: [.notAdministrator, .invitationEnded], Self.remove),
        NativeRoute(
            "GET", "/invitations/{code}", "invitation", "An invitation that is open, for who has its code.",
            access: .anyone, path: [Self.code],
            answer: .ok(
                .object([
                    .required("server", .anyText), .optional("from", .anyText, "Who invites."),
                    .optional("name", .anyText, "Name that the person gets."), .optional("displayName", .anyText),
                    .required("expires", .count),
                    .required("passwordsAllowed", .flag, "A password is taken over this connection."),
                ])), problems: [.invitationEnded], Self.look),
        NativeRoute(
            "GET", "/invitations/{code}/qr.svg", "invitationPicture", "The address of an invitation as a QR code.",
            access: .anyone, path: [Self.code], answer: .picture, problems: [.invitationEnded], Self.picture),
        NativeRoute(
            "POST", "/invitations/{code}", "comeIn",
            "Signs up with an invitation, and signs the device in. Without a password only this device may sign in.",
            access: .anyone, path: [Self.code],
            body: [
                .required("name", NativeID.person), .optional("password", .text(1...256)),
                .optional("displayName", .text(1...PeopleLimits.nameScalars, .plain)),
                .optional("device", .choice(["app", "web", "desktop"]), "Class of the device; web by default."),
            ],
            answer: .made(.object([.required("token", .anyText), .required("user", .reference("User"))])),
            problems: [.invitationEnded, .exists, .unusableField, .plainNotAllowed], Self.comeIn),
    ]

    // MARK: For administrators

    @Sendable private static func invite(_ call: NativeCall) throws(Problem) {
        var name: UserName?
        if let text = call.input.text("name") {
            guard let known = UserName(text) else {
                throw Problem(.unusableField, "nobody can have this name", field: "name")
            }
            name = known
        }
        let address = try call.serverAddress()
        let order = InvitationOrder(
            name: name, displayName: call.input.text("displayName"),
            hours: call.input.integer("hours") ?? InvitationBounds.usualHours,
            clientToken: call.input.known("clientToken"))
        var asked: [JSONValue.Member] = []
        if let name { asked.append(JSONValue.Member("name", .string(name.text))) }
        asked.append(JSONValue.Member("hours", .integer(order.hours)))
        let note = call.note("invitation.add", name?.text, asked)
        call.services.accounts.invite(order, by: call.user, auditing: note) { result in
            switch result {
            case .failure(let error): call.fail(Problem(error))
            case .success(let issued):
                let path = IssuedInvitation.path(ofCode: issued.code)
                call.answer(201) { writer in
                    writer.beginObject()
                    writer.text("id", String(issued.invitation.number))
                    writer.text("code", issued.code)
                    writer.text("path", path)
                    writer.text("address", address + path)
                    writer.number("expires", issued.invitation.endsAtMilliseconds)
                    writer.text("qr", "\(APIPaths.prefix)/invitations/\(issued.code)/qr.svg")
                    writer.endObject()
                }
            }
        }
    }

    @Sendable private static func list(_ call: NativeCall) throws(Problem) {
        let (user, now, limit) = (call.user, call.now, call.limit)
        let before = call.input.text("cursor").flatMap { Int64($0) } ?? .max
        call.read { store throws(StoreError) in
            guard try store.people.user(user)?.role == .administrator else { return nil as [Invitation]? }
            return try store.invitations.page(before: before, at: now, limit: limit + 1)
        } then: { found in
            guard let found else { return call.fail(.notAdministrator) }
            call.answer { writer in
                writer.page(next: found.count > limit ? String(found[limit - 1].number) : nil) { writer in
                    for invitation in found.prefix(limit) { Self.write(invitation, to: &writer) }
                }
            }
        }
    }

    private static func write(_ invitation: Invitation, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.text("id", String(invitation.number))
        writer.text("inviter", invitation.inviterName.text)
        writer.text("name", invitation.name?.text)
        writer.text("displayName", invitation.displayName)
        writer.number("time", invitation.createdAtMilliseconds)
        writer.number("expires", invitation.endsAtMilliseconds)
        writer.endObject()
    }

    @Sendable private static func remove(_ call: NativeCall) throws(Problem) {
        let (user, id) = (call.user, call.input.known("code"))
        let number = Int64(id) ?? 0
        let note = call.note("invitation.remove", id, [])
        call.refusable { store throws(StoreError) in
            guard try store.reading.people.user(user)?.role == .administrator else {
                return .failure(.notAdministrator)
            }
            let isGone = try store.audit.auditing(note, counts: { $0 }) { () throws(StoreError) in
                try store.invitations.remove(number)
            }
            return isGone ? .success(()) : .failure(Problem(AccountsError.invitation(.ended)))
        } then: { (_: Void) in
            call.done()
        }
    }

    // MARK: For who has a code

    /// The open invitation that the path names.
    private static func find(_ call: NativeCall, then: @escaping @Sendable (Invitation) -> Void) {
        let (code, key) = (call.input.known("code"), call.request.peer.throttleKey)
        call.services.accounts.findInvitation(code, throttleKey: key) { result in
            switch result {
            case .failure(let error): call.fail(Problem(error))
            case .success(let invitation): then(invitation)
            }
        }
    }

    @Sendable private static func look(_ call: NativeCall) throws(Problem) {
        let takesPasswords = call.request.mayShowPassword(to: call.services)
        self.find(call) { invitation in
            call.meet([invitation.inviterName]) {
                let inviter = call.native.profiles.info(user: invitation.inviterName)
                let isPerson = invitation.inviter != .system
                call.answer { writer in
                    writer.beginObject()
                    writer.text("server", call.native.serverName)
                    writer.text("from", isPerson ? inviter.displayName ?? inviter.name.text : nil)
                    writer.text("name", invitation.name?.text)
                    writer.text("displayName", invitation.displayName)
                    writer.number("expires", invitation.endsAtMilliseconds)
                    writer.flag("passwordsAllowed", takesPasswords)
                    writer.endObject()
                }
            }
        }
    }

    @Sendable private static func picture(_ call: NativeCall) throws(Problem) {
        let address = try call.serverAddress() + IssuedInvitation.path(ofCode: call.input.known("code"))
        self.find(call) { _ in
            guard let picture = QRCode(address) else {
                return call.fail(Problem(.tooLarge, "the address is too long for a QR code"))
            }
            call.reply(
                APIAnswer(
                    status: 200,
                    headers: [("Cache-Control", "no-store"), ("Content-Security-Policy", "default-src 'none'")],
                    contentType: NativeRoute.Answer.svg, body: Array(picture.svg.utf8)))
        }
    }

    @Sendable private static func comeIn(_ call: NativeCall) throws(Problem) {
        guard let name = UserName(call.input.known("name")) else {
            throw Problem(.unusableField, "nobody can have this name", field: "name")
        }
        let password = call.input.text("password")
        if password != nil, !call.request.mayShowPassword(to: call.services) {
            throw Problem(SignInRefusal.plainNotAllowed)
        }
        let person = InvitedPerson(
            name: name, displayName: call.input.text("displayName"), password: password,
            deviceClass: DeviceClass(call.input.text("device") ?? DeviceClass.web.name) ?? .web,
            throttleKey: call.request.peer.throttleKey)
        call.services.accounts.comeIn(by: call.input.known("code"), person) { result in
            switch result {
            case .failure(let error): call.fail(Problem(error))
            case .success(let issued): SessionRoutes.show(issued, of: name, call)
            }
        }
    }
}

extension Problem {
    /// Only administrators may do it.
    fileprivate static let notAdministrator = Problem(AccountsError.invitation(.notAdministrator))
}

extension NativeCall {
    /// Entry of the audit log for a change by the right of an administrator.
    fileprivate func note(_ word: String, _ subject: String?, _ asked: [JSONValue.Member]) -> AuditNote {
        AuditNote(
            actor: AuditActor(uid: getuid(), name: self.person.name.text, source: .api), word: word, subject: subject,
            asked: String(decoding: JSONValue.object(asked).serialized(), as: UTF8.self))
    }

    /// Address of the server by the name that was asked for, without a slash at its end.
    ///
    /// - Throws: 400 `invalid_request` for a request without a usable name.
    fileprivate func serverAddress() throws(Problem) -> String {
        let host = self.request.headers["host"] ?? ""
        // Letters, digits, and what stands in addresses: - . : [ ] _
        let isPlain = host.utf8.allSatisfy { byte in
            (0x30...0x3A).contains(byte) || (0x41...0x5B).contains(byte) || (0x61...0x7A).contains(byte)
                || [0x2D, 0x2E, 0x5D, 0x5F].contains(byte)
        }
        guard (1...255).contains(host.utf8.count), isPlain else {
            throw Problem(.invalidRequest, "the header field Host names no server")
        }
        return "\(self.request.isEncrypted ? "https" : "http")://\(host)"
    }
}
