import ByteCodec
import ChatModel
import Store
import TeahouseTesting
import Testing
import Transport

/// What the scenarios of profiles do again and again.
extension TestServer {
    /// Who these people are, as the holder of the token sees them.
    func profiles(
        _ ids: [String], token: String, in group: String? = nil, _ location: SourceLocation = #_sourceLocation
    ) throws -> [JSONValue] {
        var members = [JSONValue.Member("ids", .array(ids.map { .string($0) }))]
        if let group {
            members.append(
                JSONValue.Member(
                    "conversation",
                    .object([JSONValue.Member("kind", .string("group")), JSONValue.Member("id", .string(group))])))
        }
        let body = JSONValue.object(members).serialized()
        let reply = try self.http("POST", "/api/v1/profiles", token: token, body: body)
        try #require(reply.status == 200, "\(reply.status) \(reply.text)", sourceLocation: location)
        return reply.json["profiles"]?.array ?? []
    }

    /// What they are called.
    func shownNames(
        _ ids: [String], token: String, in group: String? = nil, _ location: SourceLocation = #_sourceLocation
    ) throws -> [String] {
        try self.profiles(ids, token: token, in: group, location).map { $0["name"]?.string ?? "" }
    }

    /// One person, as the holder of the token sees them.
    func profile(_ id: String, token: String) throws -> JSONValue {
        try self.http("GET", "/api/v1/profiles/\(PercentEncoding.segment(id))", token: token).json
    }

    /// Changes one's own profile.
    func changeProfile(_ token: String, _ json: String) throws -> (status: Int, json: JSONValue) {
        try self.http("PUT", "/api/v1/profiles/me", token: token, json: json)
    }

    /// Gives somebody a name, as an operator does.
    func name(_ name: String, _ shown: String) throws {
        try self.add(name)
        let id = try self.id(name)
        try self.write { store throws(StoreError) in try store.people.setDisplayName(id, shown) }
    }

    /// A picture of somebody, without a token.
    func picture(_ path: String) throws -> HTTPReply { try self.http("GET", "/v1/\(path)/avatar") }

    /// Uploads a picture as apps do.
    func setPicture(_ path: String, _ content: [UInt8], token: String) throws -> HTTPReply {
        try self.http(
            "POST", "/v1/\(path)/avatar", token: token, headers: [UploadScenarios.formType],
            body: UploadScenarios.form(content, name: "me.png"))
    }
}

extension Sample {
    /// The first bytes of a PNG, which decide what it is shown as, and then some that belong to this picture alone.
    static func png(_ seed: UInt64) -> [UInt8] {
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
            + Self.noise(200, seed: seed)
    }
}
