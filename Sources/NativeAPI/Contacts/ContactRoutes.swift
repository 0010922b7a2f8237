import APIKit
import Broker
import ByteCodec
import ChatModel
import Profiles
import Store

/// The source of a client's contact selector: people and groups under the letters that their names begin with.
enum ContactRoutes {
    /// Source of choices.
    enum Section: String, Sendable, CaseIterable {
        case people, teams, friends, members, lists
    }

    /// Most groups of one person that are looked at.
    private static let maximumTeams = 20_000

    static let routes: [NativeRoute] = [
        NativeRoute(
            "GET", "/contacts", "contacts",
            "People and groups to choose from, under the letters that their names begin with, also in pinyin.",
            query: [
                .optional(
                    "sections", .list(.choice(Section.allCases.map(\.rawValue)), 1...Section.allCases.count),
                    "Sources, people by default; lists are the asker's own."),
                .optional("conversation", NativeID.conversation, "Whose members; the section members needs it."),
                .optional(
                    "query", .text(0...64, .plain), "Part of a name, or of the initials of its pinyin."),
                .cursor, .limit,
            ],
            answer: .ok(
                .object([
                    .required(
                        "sections",
                        .list(
                            .object([
                                .required("section", .choice(Section.allCases.map(\.rawValue))),
                                .required("items", .list(.reference("Contact"), 0...Int(NativeBounds.page.upperBound))),
                                .optional("next", .anyText, "Goes on, with this section alone."),
                            ]), 0...Section.allCases.count))
                ])), problems: [.noSuchConversation, .unusableField], Self.list)
    ]

    /// Shape of the value `Contact`.
    static let shape = Shape.object([
        .required("id", .anyText, "Name of the person, or id of the conversation."),
        .required("kind", .choice(["person", "conversation"])), .required("name", .anyText, "Name to show."),
        .optional("user", .reference("User")),
        .optional(
            "conversation",
            .object([
                .required("id", NativeID.conversation), .required("title", .anyText), .required("memberCount", .count),
                .optional("avatar", .anyText),
            ])),
        .required("group", .text(1...1), "A to Z, or #: the letter that it is listed under."),
        .optional("list", .choice(PersonalList.allCases.map(\.word)), "Own list on which the person stands."),
    ])

    private struct Entry: Sendable {
        enum Choice: Sendable {
            case person(UserName, PersonalList?)
            case team(ConversationID)
        }

        /// Place among the others, which begins with the letter that the entry is listed under.
        var key: String
        var name: String
        var choice: Choice

        var letter: String { String(self.key.prefix(1)) }

        var person: UserName? {
            switch self.choice {
            case .person(let name, _): name
            case .team: nil
            }
        }
    }

    private struct Page: Sendable {
        var section: Section
        var entries: [Entry] = []
        var next: String?
        var teams: [ConversationID: (memberCount: Int, logo: String?)] = [:]

        init(section: Section) { self.section = section }

        mutating func fill(
            from source: ChoosablePeople, for user: UserID, after: String, _ limit: Int, matching query: String,
            _ store: ReadTransaction
        ) throws(StoreError) {
            let matches: ((ChoosablePerson) -> Bool)? = query.isEmpty ? nil : { ContactRoutes.matches(query, $0.names) }
            let found = try store.people.choosable(source, for: user, after: after, limit: limit, matching: matches)
            self.entries = found.people.map { Entry(key: $0.key, name: $0.names[0], choice: .person($0.name, $0.list)) }
            self.next = found.next
        }

        mutating func fillWithTeams(
            of user: UserID, after: String, _ limit: Int, matching query: String, _ store: ReadTransaction
        ) throws(StoreError) {
            var found: [Entry] = []
            for team in try store.people.choosableTeams(of: user, limit: ContactRoutes.maximumTeams)
            where query.isEmpty || ContactRoutes.matches(query, [team.title]) {
                let key = PinyinInitial.sortKey(of: team.title, id: NativeID.text(team.id))
                if key > after { found.append(Entry(key: key, name: team.title, choice: .team(team.id))) }
            }
            found.sort { $0.key < $1.key }
            self.entries = Array(found.prefix(limit))
            if found.count > limit { self.next = self.entries.last?.key }
        }
    }

    // MARK: Reading

    @Sendable private static func list(_ call: NativeCall) throws(Problem) {
        let sections = (call.input.texts("sections") ?? ["people"]).compactMap(Section.init)
        let (query, after, limit) = (
            (call.input.text("query") ?? "").lowercased(), call.input.text("cursor"), call.limit
        )
        let (user, conversation) = (call.user, call.input.text("conversation").map { NativeID.conversation($0) })
        guard Set(sections).count == sections.count else {
            throw Problem(.unusableField, "sections names one twice", field: "sections")
        }
        if sections.contains(.members), conversation == nil {
            throw Problem(.unusableField, "the section members needs a conversation", field: "conversation")
        }
        if after != nil, sections.count > 1 {
            throw Problem(.unusableField, "a cursor belongs to one section", field: "cursor")
        }
        let people: ChoosablePeople = call.native.profiles.showsOnlyAcquainted ? .acquainted : .everybody
        call.read(as: .long) { store throws(StoreError) in
            var pages: [Page] = []
            for section in sections {
                let source = try Self.source(section, people, conversation, for: user, store)
                var page = Page(section: section)
                if let source {
                    try page.fill(from: source, for: user, after: after ?? "", limit, matching: query, store)
                } else {
                    try page.fillWithTeams(of: user, after: after ?? "", limit, matching: query, store)
                }
                for case .team(let id) in page.entries.map(\.choice) {
                    let count = try store.conversations.one(id)?.memberCount ?? 0
                    page.teams[id] = (count, try store.conversations.card(of: id)?.logo)
                }
                pages.append(page)
            }
            return pages
        } then: { pages in
            let names = pages.flatMap { $0.entries.compactMap(\.person) }
            call.meet(names) {
                call.services.broker.online(Set(names)) { online in Self.answer(pages, online, call) }
            }
        }
    }

    /// Source of the people of a section; `nil` for teams.
    private static func source(
        _ section: Section, _ people: ChoosablePeople, _ conversation: ConversationID?, for user: UserID,
        _ store: ReadTransaction
    ) throws(StoreError) -> ChoosablePeople? {
        switch section {
        case .people: return people
        case .friends: return .friends
        case .lists: return .lists
        case .teams: return nil
        case .members:
            guard let conversation, try store.conversations.member(user, in: conversation) != nil else {
                throw .refused(.noSuchConversation)
            }
            return .members(conversation)
        }
    }

    private static func matches(_ query: String, _ names: [String]) -> Bool {
        names.contains { name in
            if name.lowercased().contains(run: query) { return true }
            return name.utf8.contains { $0 > 0x7F } && PinyinInitial.spelling(of: name).contains(run: query)
        }
    }

    // MARK: Writing

    private static func answer(_ pages: [Page], _ online: Set<UserName>, _ call: NativeCall) {
        call.answer { writer in
            writer.beginObject()
            writer.key("sections")
            writer.beginArray()
            for page in pages {
                writer.beginObject()
                writer.text("section", page.section.rawValue)
                writer.key("items")
                writer.beginArray()
                for entry in page.entries { Self.write(entry, page, online, call, to: &writer) }
                writer.endArray()
                writer.text("next", page.next)
                writer.endObject()
            }
            writer.endArray()
            writer.endObject()
        }
    }

    private static func write(
        _ entry: Entry, _ page: Page, _ online: Set<UserName>, _ call: NativeCall, to writer: inout JSONWriter
    ) {
        writer.beginObject()
        switch entry.choice {
        case .person(let name, let list):
            writer.text("id", name.text)
            writer.text("kind", "person")
            writer.text("name", entry.name)
            writer.key("user")
            NativeUser(call.native.profiles.info(user: name, by: call.user), isOnline: online.contains(name))
                .write(to: &writer)
            writer.text("list", list?.word)
        case .team(let id):
            let team = page.teams[id]
            writer.text("id", NativeID.text(id))
            writer.text("kind", "conversation")
            writer.text("name", entry.name)
            writer.key("conversation")
            writer.beginObject()
            writer.text("id", NativeID.text(id))
            writer.text("title", entry.name)
            writer.number("memberCount", Int64(team?.memberCount ?? 0))
            writer.text("avatar", team?.logo)
            writer.endObject()
        }
        writer.text("group", entry.letter)
        writer.endObject()
    }
}

extension ChoosablePerson {
    /// Names by which the asker may look for the person, the one that is shown first.
    fileprivate var names: [String] { [self.ownName, self.displayName, self.name.text].compactMap { $0 } }
}
