import APIKit
import Accounts
import Broker
import ByteCodec
import ChatModel
import Localization
import Store

/// Coming in and going out, and what a client has to know before it shows anything.
enum SessionRoutes {
    static let routes: [NativeRoute] = [
        NativeRoute(
            "GET", "/welcome", "welcome", "Facts about the server for who is not signed in.", access: .anyone,
            answer: .ok(.reference("Welcome")), Self.welcome),
        NativeRoute(
            "POST", "/sessions", "signIn", "Signs a device in with a name and a password.", access: .anyone,
            body: [
                .required("name", .text(1...64, .plain)), .required("password", .text(1...256)),
                .optional("device", .choice(["app", "web", "desktop"]), "Class of the device; web by default."),
            ],
            answer: .made(.object([.required("token", .anyText), .required("user", .reference("User"))])),
            problems: [.wrongCredentials, .accountDisabled, .plainNotAllowed], Self.signIn),
        NativeRoute(
            "GET", "/session", "session", "The person, the settings of conversations and the limits.",
            answer: .ok(.reference("Session")), Self.session),
        NativeRoute("DELETE", "/session", "signOut", "Signs this device out.", answer: .done, Self.signOut),
        NativeRoute(
            "GET", "/sessions", "devices", "Devices of the person that may sign in.",
            answer: .ok(.object([.required("items", .list(.reference("Device"), 0...Shape.most))])), Self.devices),
        NativeRoute(
            "DELETE", "/sessions", "signOutOthers", "Signs out every other device of the person.", answer: .done,
            Self.signOutOthers),
        NativeRoute(
            "DELETE", "/sessions/{device}", "signOutDevice", "Signs one device of the person out.",
            path: [.required("device", .text(1...64, .plain))], answer: .done, problems: [.noSuchSession],
            Self.signOutDevice),
    ]

    // MARK: Before signing in

    @Sendable private static func welcome(_ call: NativeCall) throws(Problem) {
        let takesPasswords = call.request.mayShowPassword(to: call.services)
        let isSecure = call.request.isEncrypted
        let (name, version) = (call.native.serverName, call.services.facts.version)
        call.read(as: .signIn) { store throws(StoreError) in
            try store.people.hasAdministrator()
        } answer: { hasAdministrator in
            .native { writer in
                writer.beginObject()
                writer.text("server", name)
                writer.flag("needsSetup", !hasAdministrator)
                writer.key("languages")
                writer.beginArray()
                for language in Language.allCases { writer.string(language.rawValue) }
                writer.endArray()
                writer.flag("isSecure", isSecure)
                writer.flag("passwordsAllowed", takesPasswords)
                writer.text("version", version)
                writer.endObject()
            }
        }
    }

    @Sendable private static func signIn(_ call: NativeCall) throws(Problem) {
        let request = call.request
        guard let name = UserName(call.input.known("name")),
            let deviceClass = DeviceClass(call.input.text("device") ?? DeviceClass.web.name)
        else { throw Problem(.wrongCredentials, "the name or the password is wrong") }
        let asked = SignInRequest(
            user: name, credentials: .password(call.input.known("password")), requestedClass: deviceClass,
            address: request.peer.text, throttleKey: request.peer.throttleKey, isEncrypted: request.isEncrypted,
            origin: request.peer.signInOrigin)
        call.services.accounts.authenticator.authenticate(asked) { result in
            switch result {
            case .refused(let refusal): call.fail(Problem(refusal))
            case .signedIn(let identity): Self.issue(for: identity, deviceClass, call)
            }
        }
    }

    private static func issue(for identity: Identity, _ deviceClass: DeviceClass, _ call: NativeCall) {
        call.services.accounts.issueToken(for: identity.name, class: deviceClass, lifetimeSeconds: nil) { result in
            switch result {
            case .failure(let error): call.fail(Problem(error))
            case .success(let issued): Self.show(issued, of: identity.name, call)
            }
        }
    }

    /// Answers with a new token, and whose it is.
    static func show(_ issued: IssuedToken, of name: UserName, _ call: NativeCall) {
        call.meet([name]) {
            let user = NativeUser(call.native.profiles.info(user: name, by: issued.user))
            call.answer(201) { writer in
                writer.beginObject()
                writer.text("token", issued.token.text)
                writer.key("user")
                user.write(to: &writer)
                writer.endObject()
            }
        }
    }

    // MARK: Signed in

    @Sendable private static func session(_ call: NativeCall) throws(Problem) {
        let (person, native) = (call.person, call.native)
        let now = call.now
        call.read { store throws(StoreError) in
            (settings: try store.sessionSettings.sessionSettings(), epoch: try store.feed.epoch)
        } then: { found in
            call.meet([person.name]) {
                let user = NativeUser(native.profiles.info(user: person.name, by: person.user))
                call.answer { writer in
                    writer.beginObject()
                    writer.key("user")
                    user.write(to: &writer)
                    writer.flag("isAdministrator", person.role == .administrator)
                    writer.key("configuration")
                    SessionConfiguration.write(found.settings.effective(.group, .member), to: &writer)
                    writer.key("limits")
                    Self.writeLimits(found.settings, call, to: &writer)
                    writer.number("time", now)
                    writer.text("epoch", String(found.epoch))
                    writer.endObject()
                }
            }
        }
    }

    private static func writeLimits(_ settings: SessionSettings, _ call: NativeCall, to writer: inout JSONWriter) {
        let characters = settings.maximumCharacters(.group, .member) ?? NativeBounds.usualTextScalars
        writer.beginObject()
        writer.number("textCharacters", Int64(min(characters, NativeBounds.textScalars)))
        writer.number("messageBytes", Int64(call.services.settings.messageBytes))
        writer.number("fileBytes", call.native.fileBytes)
        writer.number("titleCharacters", Int64(ConversationBounds.titleScalars))
        writer.number("draftBytes", Int64(ConversationBounds.draftBytes))
        writer.number("nameCharacters", Int64(PeopleLimits.nameScalars))
        writer.endObject()
    }

    @Sendable private static func signOut(_ call: NativeCall) throws(Problem) {
        // Sessions of other devices may be of the same class: they stay.
        call.services.accounts.revokeDevices(of: call.person, .only(try Self.device(call))) { result in
            switch result {
            case .failure(let error): call.fail(Problem(error))
            case .success: call.done()
            }
        }
    }

    /// Device whose token came with the request.
    static func device(_ call: NativeCall) throws(Problem) -> String {
        guard let token = call.request.token, let id = Accounts.deviceID(ofToken: token, of: call.person) else {
            throw Problem(.signedOut, "the token is missing")
        }
        return id
    }

    @Sendable private static func devices(_ call: NativeCall) throws(Problem) {
        let own = try Self.device(call)
        call.services.accounts.devices(of: call.person) { result in
            switch result {
            case .failure(let error): call.fail(Problem(error))
            case .success(let devices):
                call.answer { writer in
                    writer.beginObject()
                    writer.key("items")
                    writer.beginArray()
                    for device in devices { Self.write(device, isOwn: device.id == own, to: &writer) }
                    writer.endArray()
                    writer.endObject()
                }
            }
        }
    }

    private static func write(_ device: DeviceEntry, isOwn: Bool, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.text("id", device.id)
        writer.text("device", device.deviceClass.name)
        writer.number("createdAt", device.createdAtMilliseconds)
        writer.number("lastSeen", device.lastSeenAtMilliseconds)
        writer.number("expiresAt", device.expiresAtMilliseconds)
        writer.flag("isThis", isOwn)
        writer.endObject()
    }

    @Sendable private static func signOutOthers(_ call: NativeCall) throws(Problem) {
        Self.revoke(.allBut(try Self.device(call)), call) { call.done() }
    }

    @Sendable private static func signOutDevice(_ call: NativeCall) throws(Problem) {
        let device = call.input.known("device")
        call.services.accounts.devices(of: call.person) { result in
            switch result {
            case .failure(let error): call.fail(Problem(error))
            case .success(let devices):
                guard devices.contains(where: { $0.id == device }) else {
                    return call.fail(Problem(.noSuchSession, "no device of this person has this id"))
                }
                Self.revoke(.only(device), call) { call.done() }
            }
        }
    }

    /// Takes tokens back, and ends the sessions of those classes of devices: who still has a token comes back.
    private static func revoke(
        _ choice: Accounts.DeviceChoice, _ call: NativeCall, then: @escaping @Sendable () -> Void
    ) {
        let (broker, user) = (call.services.broker, call.user)
        call.services.accounts.revokeDevices(of: call.person, choice) { result in
            switch result {
            case .failure(let error): call.fail(Problem(error))
            case .success(let classes):
                Self.endSessions(of: user, classes, broker)
                then()
            }
        }
    }

    /// Ends the sessions of devices of these classes: who still has a token comes back.
    static func endSessions(of user: UserID, _ classes: Set<DeviceClass>, _ broker: Broker) {
        for deviceClass in classes { broker.end(allOf: user, deviceClass: deviceClass, reason: .signedOut) }
    }
}

/// The settings of conversations as clients read them.
enum SessionConfiguration {
    /// Shape of all settings, for the description.
    static var shape: Shape { .object(SessionSetting.all.map { .required($0.name, Self.shape(of: $0)) }) }

    private static func shape(of setting: SessionSetting) -> Shape {
        switch setting.shape {
        case .number(let bounds, _): .integer(bounds)
        case .flag: .flag
        case .choice(let words): .choice(words)
        case .text(let most): .text(0...most)
        case .words(let words): .list(.choice(words), 0...words.count)
        }
    }

    static func write(_ settings: [SessionSettings.Effective], to writer: inout JSONWriter) {
        writer.beginObject()
        for entry in settings {
            writer.key(entry.setting.name)
            switch entry.value {
            case .number(let number): writer.integer(number)
            case .flag(let isOn): writer.boolean(isOn)
            case .text(let text): writer.string(text)
            case .words(let words):
                writer.beginArray()
                for word in words { writer.string(word) }
                writer.endArray()
            }
        }
        writer.endObject()
    }
}
