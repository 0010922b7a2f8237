import APIKit
import ByteCodec
import ChatModel
import LeanCloudQuery
import Store

/// Queries over people. The app's own server may ask anything; a person may ask for people whose ids they know, and
/// sees of others what is public.
struct UserSearch: Sendable {
    /// Rows of one answer.
    static let maximumRows: Int64 = 1_000
    /// People that a query looks at; with more the operator's own tools have to be used.
    static let maximumScanned = 20_000

    private let condition: ObjectQuery
    private let sort: ObjectSort?
    private let limit: Int
    private let skip: Int
    private let counts: Bool

    @Sendable static func find(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let call = AppCall(request, services, reply)
        let search = try UserSearch(request)
        if call.isMaster { return search.run(call, asker: nil) }
        call.asPerson { search.run(call, asker: $0.user) }
    }

    private init(_ request: APIRequest) throws(APIFailure) {
        self.limit = Int(min(max(0, try request.queryInteger("limit", otherwise: 100)), Self.maximumRows))
        self.skip = Int(clamping: max(0, try request.queryInteger("skip", otherwise: 0)))
        self.counts = try request.queryInteger("count", otherwise: 0) != 0
        do throws(ObjectQueryError) {
            self.condition = try ObjectQuery(parsing: request.query["where"].flatMap { $0.isEmpty ? nil : $0 } ?? "{}")
            let order = request.query["order"] ?? ""
            if order.isEmpty { self.sort = nil } else { self.sort = try ObjectSort(parsing: order) }
        } catch {
            throw APIFailure(400, error.reason, code: 102)
        }
    }

    private enum Found: Sendable {
        case rows([JSONValue], count: Int)
        case refused(APIFailure)
    }

    private func run(_ call: AppCall, asker: UserID?) {
        let reader: ReadAsker = asker.map { .person($0) } ?? .application
        call.services.read(call.reply, as: .long, for: reader) { store throws(StoreError) in
            try self.rows(store, asker)
        } answer: { found throws(APIFailure) in
            switch found {
            case .refused(let failure): throw failure
            case .rows(let rows, let count):
                var answer = [JSONValue.Member("results", .array(rows))]
                if self.counts { answer.append(JSONValue.Member("count", .integer(Int64(count)))) }
                return .json(.object(answer))
            }
        }
    }

    private func rows(_ store: ReadTransaction, _ asker: UserID?) throws(StoreError) -> Found {
        let people: [AppUser]
        if let ids = self.condition.hints.objectIDs {
            people = try self.people(ids, store)
        } else if let asker {
            // Who asks for nobody in particular is shown themselves.
            people = [try store.apps.appUser(asker)].compactMap { $0 }
        } else {
            guard let all = try self.everybody(store) else {
                return .refused(APIFailure(400, "too many people for this query: ask by objectId", code: 154))
            }
            people = all
        }
        var effort = QueryEffort()
        var found: [JSONValue] = []
        do throws(ObjectQueryError) {
            for person in people {
                let row = UserRow.json(person, isPrivate: asker == nil || asker == person.user)
                if try self.condition.matches(row, effort: &effort) { found.append(row) }
            }
        } catch {
            return .refused(APIFailure(400, error.reason, code: 102))
        }
        if let sort { found = sort.sorted(found) }
        return .rows(Array(found.dropFirst(self.skip).prefix(self.limit)), count: found.count)
    }

    private func people(_ ids: Set<String>, _ store: ReadTransaction) throws(StoreError) -> [AppUser] {
        var people: [AppUser] = []
        for id in ids.sorted() {
            guard let name = UserName(id), let person = try store.apps.appUser(named: name) else { continue }
            people.append(person)
        }
        return people
    }

    private func everybody(_ store: ReadTransaction) throws(StoreError) -> [AppUser]? {
        var people: [AppUser] = []
        var last = UserID.system
        while true {
            let page = try store.apps.appUsers(after: last, limit: 1_000)
            guard let end = page.last else { return people }
            people += page
            last = end.user
            if people.count > Self.maximumScanned { return nil }
        }
    }
}
