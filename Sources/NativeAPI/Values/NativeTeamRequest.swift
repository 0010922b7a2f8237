package import ByteCodec
package import ChatModel
package import Store

/// Steps that a person may take with a request to join a team while it waits.
package struct TeamRequestSteps: Hashable, Sendable {
    /// True for the managers of the team, and for who is invited.
    package let canAnswer: Bool
    /// True for who made the request.
    package let canWithdraw: Bool

    /// - Parameter now: UTC milliseconds.
    package init(
        _ request: TeamRequest, for person: UserID, at now: Int64, in store: ReadTransaction
    ) throws(StoreError) {
        let waits = request.state == .waiting && request.endsAtMilliseconds > now
        let isOwn: Bool
        let isTheirs: Bool
        switch request.kind {
        case .apply:
            isOwn = request.person == person
            let role = try store.conversations.member(person, in: request.team)?.role
            isTheirs = !isOwn && (role == .manager || role == .owner)
        case .invite:
            isOwn = request.inviter == person
            isTheirs = request.person == person
        }
        self.canAnswer = waits && isTheirs
        self.canWithdraw = waits && isOwn
    }
}

/// A request to join a team as one person sees it: the one place that writes the value `Request`.
package struct NativeTeamRequest: Hashable, Sendable {
    private let request: TeamRequest
    private let title: String
    private let steps: TeamRequestSteps

    /// People that it names.
    package var people: [UserName] { [self.request.personName, self.request.inviterName].compactMap { $0 } }

    /// Reads what stands beside a request.
    ///
    /// - Parameter now: UTC milliseconds.
    package init(
        _ request: TeamRequest, for person: UserID, at now: Int64, in store: ReadTransaction
    ) throws(StoreError) {
        let conversation = try store.conversations.one(request.team)
        self.request = request
        self.title = conversation?.title ?? request.teamName?.text ?? ""
        self.steps = try TeamRequestSteps(request, for: person, at: now, in: store)
    }

    /// Shape of the value.
    static let shape = Shape.object([
        .required("id", Self.id), .required("kind", .choice(["join", "invitation"])),
        .required("conversation", NativeID.conversation), .required("title", .anyText, "Title of the team."),
        .required("person", .reference("User"), "Who would come in."),
        .optional("from", .reference("User"), "Who asks: the person, or the member who invites them."),
        .optional("text", .anyText), .optional("reason", .anyText, "Words of the answer."),
        .required("time", .count), .required("ends", .count, "Waits until then, milliseconds UTC."),
        .required("state", .choice(TeamRequestState.allCases.map(\.word))),
        .required("canAnswer", .flag), .required("canWithdraw", .flag),
    ])

    /// Shape of a request's id.
    static let id = Shape.text(1...18, .digits)

    /// Writes the value.
    func write(to writer: inout JSONWriter, _ words: NativeWords) {
        self.write(to: &writer) { NativeUser(words.person($0)) }
    }

    /// Writes the value.
    ///
    /// - Parameter shown: how a person is shown to the reader.
    package func write(to writer: inout JSONWriter, _ shown: (UserName) -> NativeUser) {
        let request = self.request
        writer.beginObject()
        writer.text("id", String(request.number))
        writer.text("kind", request.kind == .apply ? "join" : "invitation")
        writer.text("conversation", NativeID.text(request.team))
        writer.text("title", self.title)
        writer.key("person")
        shown(request.personName).write(to: &writer)
        if let from = request.kind == .apply ? request.personName : request.inviterName {
            writer.key("from")
            shown(from).write(to: &writer)
        }
        writer.text("text", request.postscript.isEmpty ? nil : request.postscript)
        writer.text("reason", request.reason.isEmpty ? nil : request.reason)
        writer.number("time", request.createdAtMilliseconds)
        writer.number("ends", request.endsAtMilliseconds)
        writer.text("state", request.state.word)
        writer.flag("canAnswer", self.steps.canAnswer)
        writer.flag("canWithdraw", self.steps.canWithdraw)
        writer.endObject()
    }
}
