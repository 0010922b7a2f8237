import ByteCodec
import Testing

@testable import LeanCloudQuery

/// The value of a JSON text.
func json(_ text: String) throws -> JSONValue { try JSONValue(parsing: text) }

/// True when the query takes the row.
func matches(_ query: String, _ row: String) throws -> Bool {
    let query = try ObjectQuery(parsing: query)
    var effort = QueryEffort()
    return try query.matches(try json(row), effort: &effort)
}

/// The sentence with which `body` fails.
func reason(_ body: () throws(ObjectQueryError) -> Void) -> String? {
    do throws(ObjectQueryError) {
        try body()
        return nil
    } catch {
        return error.description
    }
}

/// The sentence with which a query is refused.
func refusal(of query: String) -> String? {
    reason { () throws(ObjectQueryError) in _ = try ObjectQuery(parsing: query) }
}

/// The sentence with which an update is refused.
func refusal(ofUpdate update: String) -> String? {
    reason { () throws(ObjectQueryError) in _ = try ObjectUpdate(parsing: update) }
}
