import APIKit
import ByteCodec
import ChatModel
import LeanCloudQuery
import LeanCloudTranslation
import Store

/// All rows of a class one page after the other, for the app's own server: what takes an app away from here.
///
/// Source: LeanCloud REST guide, "Iterate over objects": `limit`, `cursor` and `where`; the master key alone may ask. A
/// cursor is good here for as long as the folder is; rows come in the order in which they were made.
enum ScanRoutes {
    static let routes: [Route] = [
        Route("GET", realtime: "/1.1/scan/classes/{id}") { call throws(APIFailure) in
            guard let scanned = ScannedClass(rawValue: try call.request.parameter("id")) else {
                throw APIFailure(404, "Class or object doesn't exists.", code: 101)
            }
            try Self.scan(scanned, call)
        }
    ]

    private enum ScannedClass: String {
        case conversations = "_Conversation"
        case users = "_User"
        case files = "_File"
        case installations = "_Installation"
    }

    /// A page before the condition is looked at.
    private struct Found: Sendable {
        var rows: [JSONValue]
        /// The number or object id of the last one; `nil` at the end.
        var last: String?
    }

    private static func scan(_ scanned: ScannedClass, _ call: RealtimeCall) throws(APIFailure) {
        let limit = max(1, try call.page().limit)
        let after = try Self.position(call.request.query["cursor"] ?? "")
        let condition: ObjectQuery
        do throws(ObjectQueryError) {
            condition = try ObjectQuery(parsing: call.request.query["where"] ?? "")
        } catch {
            throw APIFailure(400, error.reason, code: 102)
        }
        let (now, files) = (call.now, FileRow(AppCall(call.request, call.services, call.reply)))
        call.read { reading throws(StoreError) -> JSONValue in
            let found: Found =
                switch scanned {
                case .conversations: try Self.conversations(after: Int64(after) ?? 0, limit, at: now, reading)
                case .users: try Self.users(after: Int64(after) ?? 0, limit, reading)
                case .files:
                    Self.found(try reading.apps.appFiles(after: after, limit: limit), limit) {
                        files.json($0)
                    } id: {
                        $0.objectID
                    }
                case .installations:
                    Self.found(try reading.apps.installations(after: after, limit: limit), limit) {
                        InstallationRoutes.row($0)
                    } id: {
                        $0.objectID
                    }
                }
            var effort = QueryEffort()
            var rows: [JSONValue] = []
            for row in found.rows {
                do throws(ObjectQueryError) {
                    if try condition.matches(row, effort: &effort) { rows.append(row) }
                } catch {
                    throw .invalid(error.reason)
                }
            }
            let cursor = found.last.map { JSONValue.string("t" + $0) } ?? .null
            return .fields(("results", .array(rows)), ("cursor", cursor))
        } answer: {
            .json($0)
        }
    }

    private static func found<Item>(
        _ page: [Item], _ limit: Int, _ row: (Item) -> JSONValue, id: (Item) -> ObjectID
    ) -> Found {
        Found(rows: page.map(row), last: page.count == limit ? page.last.map { id($0).text } : nil)
    }

    private static func position(_ cursor: String) throws(APIFailure) -> String {
        if cursor.isEmpty { return "" }
        guard cursor.hasPrefix("t"), cursor.utf8.count <= 32 else { throw .bad("no cursor of this server") }
        return String(cursor.dropFirst())
    }

    private static func conversations(
        after: Int64, _ limit: Int, at now: Int64, _ reading: ReadTransaction
    ) throws(StoreError) -> Found {
        let page = try reading.conversations.all(after: ConversationID(rawValue: after), limit: limit)
        let shown = page.filter { !$0.flags.contains(.disbanded) }.map(\.id)
        var rows: [JSONValue] = []
        var rest = shown[...]
        while !rest.isEmpty {
            for row in try reading.apps.objectRows(Array(rest.prefix(ObjectScanBounds.page)), seenBy: .system) {
                if row.expiresAtMilliseconds.map({ $0 > now }) ?? true { rows.append(LeanCloudRows.row(row, at: now)) }
            }
            rest = rest.dropFirst(ObjectScanBounds.page)
        }
        return Found(rows: rows, last: page.count == limit ? page.last.map { String($0.id.rawValue) } : nil)
    }

    private static func users(after: Int64, _ limit: Int, _ reading: ReadTransaction) throws(StoreError) -> Found {
        let page = try reading.apps.appUsers(after: after == 0 ? .system : UserID(rawValue: after), limit: limit)
        return Found(
            rows: page.map { UserRow.json($0, isPrivate: true) },
            last: page.count == limit ? page.last.map { String($0.user.rawValue) } : nil)
    }
}
