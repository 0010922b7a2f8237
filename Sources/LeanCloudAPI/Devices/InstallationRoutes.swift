import APIKit
package import ByteCodec
package import ChatModel
import LeanCloudQuery
import LeanCloudTranslation
import Store

/// Devices as push SDKs register them. There is no push service on a network of one's own: what is kept says which
/// device belongs to whom, and its channels come back as they were written.
///
/// An SDK saves its device before anybody signs in, with the app key alone, which is inside every copy of the app. What
/// it has more than others is the device's own name or token: who shows the one that is kept here is the device. By its
/// object id alone a device is read and changed only while it is nobody's; from the first sign-in on it takes a session
/// of that person, or the master key. Nobody is ever given a list.
///
/// Source: LeanCloud push REST guide, "Installations"; `docs/protocols/leancloud-storage-sdks.md` for what each SDK
/// sends.
package enum InstallationRoutes {
    static let routes: [Route] = ["/1.1/installations", "/1.1/classes/_Installation"].flatMap { path in
        [
            Route("POST", path, .caller, Self.register), Route("GET", "\(path)/{id}", .caller, Self.show),
            Route("PUT", "\(path)/{id}", .caller, Self.change),
            Route("DELETE", "\(path)/{id}", .manager, Self.delete),
        ]
    }

    /// Names that are no fields of an app's own.
    private static let ownNames: Set<String> = [
        "objectId", "deviceType", "deviceToken", "installationId", "createdAt", "updatedAt",
    ]

    /// Device as a request describes one.
    private struct Entry: Sendable {
        var patch: InstallationPatch
        let update: ObjectUpdate

        init(_ fields: APIFields) throws(APIFailure) {
            self.patch = InstallationPatch(
                deviceType: try fields.optionalText("deviceType"), deviceToken: try fields.optionalText("deviceToken"),
                installationID: try fields.optionalText("installationId"))
            do throws(ObjectQueryError) {
                self.update = try ObjectUpdate(.object(fields.members { !InstallationRoutes.ownNames.contains($0) }))
            } catch {
                throw .bad(error.reason)
            }
        }

        /// True when the request shows the stored name or token of a device.
        func names(_ known: Installation) -> Bool {
            let pairs = [
                (self.patch.installationID, known.installationID), (self.patch.deviceToken, known.deviceToken),
            ]
            return pairs.contains { said, kept in said?.isEmpty == false && said == kept }
        }

        /// Makes the change to what is there, or to nothing.
        func apply(to known: Installation?, in store: WriteTransaction) throws(StoreError) -> Result<
            Installation, APIFailure
        > {
            var patch = self.patch
            do throws(ObjectQueryError) {
                patch.fields = try self.update.apply(to: InstallationRoutes.fields(known)).row.serialized()
            } catch {
                return .failure(.bad(error.reason))
            }
            guard let known else { return .success(try store.apps.register(patch)) }
            return .success(try store.apps.change(known.objectID, patch))
        }
    }

    private static func fields(_ installation: Installation?) -> JSONValue {
        installation?.fields.flatMap { try? JSONValue(parsing: $0) } ?? .object([])
    }

    // MARK: Who may

    /// Goes on with whether who asks may see and change a device.
    private static func asHolder(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply,
        then: @escaping @Sendable (@escaping @Sendable (Installation) -> Bool) -> Void
    ) {
        let call = AppCall(request, services, reply)
        call.asAnybody { actor in
            guard actor.user != .system else { return then { actor == .application || $0.person == nil } }
            call.read { store throws(StoreError) in
                try store.people.user(actor.user)?.name
            } then: { name in
                then { $0.person == nil || $0.person == name }
            }
        }
    }

    // MARK: Requests

    /// One that is known by its own name or its token gets the same object id again, and so does one that says its
    /// object id, if whoever asks may change that.
    @Sendable private static func register(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let entry = try Entry(try request.fields())
        let names = [entry.patch.installationID, entry.patch.deviceToken].compactMap { $0 }.filter { !$0.isEmpty }
        guard !names.isEmpty else {
            throw APIFailure(400, "deviceToken or installationId must be specified in this operation", code: 135)
        }
        guard entry.patch.deviceType?.isEmpty == false else {
            throw APIFailure(400, "deviceType must be specified in this operation", code: 114)
        }
        // COMPAT(LeanCloud Swift, Objective-C): they save a device that they know by POST too, with its object id
        // inside.
        let said = try request.fields().optionalText("objectId").flatMap { ObjectID($0) }
        Self.asHolder(request, services, reply) { isHolder in
            Self.write(services, reply, status: 201) { store throws(StoreError) in
                for name in names {
                    guard let known = try store.reading.apps.installation(device: name) else { continue }
                    return try entry.apply(to: known, in: store)
                }
                if let said, let known = try store.reading.apps.installation(said), isHolder(known) {
                    return try entry.apply(to: known, in: store)
                }
                return try entry.apply(to: nil, in: store)
            }
        }
    }

    @Sendable private static func change(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let entry = try Entry(try request.fields())
        let id = try Self.id(request)
        Self.asHolder(request, services, reply) { isHolder in
            Self.write(services, reply, status: 200) { store throws(StoreError) in
                // Somebody else's looks like none.
                guard let known = try store.reading.apps.installation(id), isHolder(known) || entry.names(known) else {
                    return .failure(.noSuchObject)
                }
                return try entry.apply(to: known, in: store)
            }
        }
    }

    private static func write(
        _ services: APIServices, _ reply: @escaping APIReply, status: Int,
        _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Result<Installation, APIFailure>
    ) {
        services.write(reply, by: .leanCloud, body) { result in
            switch result {
            case .failure(let failure): .failure(failure)
            case .success(let installation): .json(Self.row(installation), status: status)
            }
        }
    }

    @Sendable private static func show(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let id = try Self.id(request)
        Self.asHolder(request, services, reply) { isHolder in
            services.read(reply, for: request.asker) { store throws(StoreError) in
                try store.apps.installation(id)
            } answer: { installation in
                guard let installation, isHolder(installation) else { return .failure(.noSuchObject) }
                return .json(Self.row(installation))
            }
        }
    }

    @Sendable private static func delete(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let id = try Self.id(request)
        services.write(reply, by: .leanCloud) { store throws(StoreError) in
            try store.apps.deleteInstallation(id)
        } answer: { wasThere in
            wasThere ? .nothing : .failure(.noSuchObject)
        }
    }

    private static func id(_ request: APIRequest) throws(APIFailure) -> ObjectID {
        guard let id = ObjectID(try request.parameter("id")) else { throw .noSuchObject }
        return id
    }

    // MARK: Rows

    /// The channels are those that were written, and the client id of who signed in on the device last.
    package static func row(_ installation: Installation) -> JSONValue {
        var members = [JSONValue.Member("objectId", .string(installation.objectID.text))]
        let texts = [
            ("deviceType", installation.deviceType), ("deviceToken", installation.deviceToken),
            ("installationId", installation.installationID),
        ]
        members += texts.compactMap { name, text in text.map { JSONValue.Member(name, .string($0)) } }
        let fields = Self.fields(installation).object ?? []
        members += fields.filter { $0.name != "channels" }
        var channels = fields.first { $0.name == "channels" }?.value.array ?? []
        if let person = installation.person, !channels.contains(.string(person.text)) {
            channels.append(.string(person.text))
        }
        members.append(JSONValue.Member("channels", .array(channels)))
        members += UserRow.times(installation.createdAtMilliseconds, installation.updatedAtMilliseconds)
        return .object(members)
    }
}
