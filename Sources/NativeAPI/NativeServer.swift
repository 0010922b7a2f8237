package import APIKit
import ByteCodec
import ChatModel

/// The native API: its table of routes, and what is made of it.
package struct NativeServer: Sendable {
    private let native: NativeServices
    private let version: String

    package init(_ native: NativeServices, version: String) {
        self.native = native
        self.version = version
    }

    /// Every route, in the order of the description.
    package static let table: [NativeRoute] =
        SessionRoutes.routes + PasswordRoutes.routes + PeopleRoutes.routes + ConversationRoutes.routes
        + MessageRoutes.routes + MessageMarkRoutes.routes + MemberRoutes.routes + SearchRoutes.routes
        + ContactRoutes.routes + TeamRoutes.routes + NoticeRoutes.routes + InvitationRoutes.routes
        + KindRoutes.routes

    /// The routes with their handlers, as one area of the gateway.
    package var group: RouteGroup {
        let native = self.native
        let description = APIAnswer(status: 200, body: OpenAPI(Self.table, version: self.version).document)
        let document = Route("GET", "\(APIPaths.prefix)/openapi.json", .anyone) { _, _, reply in reply(description) }
        return RouteGroup(
            Router(Self.table.map { $0.route(native) } + [document], sharesTerritory: true),
            wordForPeople: { .problem($0, language: $1) })
    }
}

/// Bounds of requests that no table of another module has.
enum NativeBounds {
    /// Characters of a text, before the setting `max_input`.
    static let textScalars = 10_000
    /// Characters of a text that clients of our own let people write, where `max_input` is not set.
    static let usualTextScalars = 5_000
    /// Entries of one page.
    static let page: ClosedRange<Int64> = 1...100
    /// Entries of a page where none are asked for.
    static let usualPage = 50
    /// Members named in one request.
    static let members = 500
    /// Conversations that one message is forwarded to at once.
    static let forwardTargets = 20
}

/// Values that answers name, for the description.
enum NativeSchemas {
    /// By name.
    static let all: [(name: String, shape: Shape)] = [
        ("Problem", APIAnswer.problemShape), ("User", NativeUser.shape),
        ("Conversation", NativeConversation.shape), ("Message", NativeMessage.shape), ("Member", MemberRoutes.shape),
        ("Contact", ContactRoutes.shape), ("Card", NativeCard.shape), ("Team", TeamRoutes.shape),
        ("Request", NativeTeamRequest.shape), ("Notice", NativeNotice.shape),
        ("Kind", KindRoutes.shape),
        ("Welcome", Self.welcome),
        ("Session", Self.session), ("Device", Self.device),
    ]

    private static let welcome = Shape.object([
        .required("server", .anyText, "Name of the server."),
        .required("needsSetup", .flag, "There is no administrator yet: POST /setup makes the first."),
        .required("languages", .list(.anyText, 1...16)), .required("isSecure", .flag, "The connection has TLS."),
        .required("passwordsAllowed", .flag, "Passwords are taken over this connection."),
        .required("version", .anyText),
    ])

    private static let session = Shape.object([
        .required("user", .reference("User")), .required("isAdministrator", .flag),
        .required(
            "configuration", SessionConfiguration.shape, "Settings of conversations, as members of groups have them."),
        .required(
            "limits",
            .object(
                [
                    "textCharacters", "messageBytes", "fileBytes", "titleCharacters", "draftBytes", "nameCharacters",
                ].map { .required($0, .count) })),
        .required("time", .count, "Time of the server, milliseconds UTC."),
        .required("epoch", .anyText, "Names the database: of another one nothing that was kept is good."),
    ])

    private static let device = Shape.object([
        .required("id", .anyText), .required("device", .anyText, "Class of the device."),
        .required("createdAt", .count), .required("lastSeen", .count), .optional("expiresAt", .count),
        .required("isThis", .flag),
    ])
}
