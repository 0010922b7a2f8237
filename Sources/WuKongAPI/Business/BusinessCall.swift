import APIKit
import Accounts
import Broker
import ByteCodec
import ChatModel
import Store

/// One request of somebody who is signed in, to the API that apps expect of a business server.
struct BusinessCall: StoreCall {
    let request: APIRequest
    let services: APIServices
    let person: Identity
    let reply: APIReply

    var user: UserID { self.person.user }
    var actor: Actor { Actor(self.person.user) }

    var store: Store { self.services.store }
    var asker: ReadAsker { self.request.asker }

    var origin: EventOrigin { EventOrigin(.app) }

    func failure(_ error: StoreError) -> APIFailure { .business(error) }

    /// Reads, and goes on with what was found; `then` answers.
    func readThen<Value: Sendable>(
        as lane: ReadLane = .page, _ body: @escaping @Sendable (ReadTransaction) throws(StoreError) -> Value,
        then: @escaping @Sendable (Value, @escaping APIReply) -> Void
    ) {
        self.read(as: lane, body, then: { then($0, self.reply) })
    }
}

/// Handler of a route for signed-in people.
typealias BusinessHandler = @Sendable (BusinessCall) throws(APIFailure) -> Void

extension Route {
    /// A route for whoever the token belongs to.
    init(_ method: String, _ pattern: String, _ handler: @escaping BusinessHandler) {
        self.init(method, pattern, .session) { (request, services, reply) throws(APIFailure) in
            try handler(
                BusinessCall(request: request, services: services, person: try request.person(), reply: reply))
        }
    }
}

extension APIFailure {
    /// Failure for a store error, as apps understand it: they show the text of a 400, and take a 401 for the end of the
    /// session. Source: TangSengDaoDao, its server's error answers and its apps.
    static func business(_ error: StoreError) -> APIFailure {
        let failure = APIFailure(error)
        return [403, 404, 409].contains(failure.status) ? .bad(failure.message) : failure
    }
}

// MARK: Building answers

extension JSONValue {
    static func fields(_ members: (String, JSONValue)...) -> JSONValue {
        .object(members.map { Member($0.0, $0.1) })
    }

    /// Switches are 0 and 1.
    static func flag(_ isOn: Bool) -> JSONValue { .integer(isOn ? 1 : 0) }

    /// A text; what is not there is empty.
    static func text(_ text: String?) -> JSONValue { .string(text ?? "") }

    static func number(_ value: Int) -> JSONValue { .integer(Int64(value)) }

    /// The value of JSON text that this server stored; an empty object for nothing.
    static func stored(_ text: [UInt8]?) -> JSONValue {
        text.flatMap { try? JSONValue(parsing: $0) } ?? .object([])
    }

    /// This object with the members of another behind its own.
    func adding(_ other: JSONValue) -> JSONValue { .object((self.object ?? []) + (other.object ?? [])) }

    /// The number under a name, or what is meant without one.
    func switchValue(_ name: String, otherwise: Int64 = 0) -> JSONValue {
        .integer(self[name]?.integer ?? otherwise)
    }
}

/// Times as apps read them.
enum BusinessTime {
    /// `2026-11-21 03:33:29`, UTC.
    static func text(milliseconds: Int64) -> String {
        let seconds = milliseconds / 1_000
        let (day, rest) = (seconds / 86_400, seconds % 86_400)
        let date = Self.date(ofDay: day)
        let time = [rest / 3_600, rest / 60 % 60, rest % 60].map(Self.two).joined(separator: ":")
        return "\(date.year)-\(Self.two(date.month))-\(Self.two(date.day)) \(time)"
    }

    private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// The Gregorian date of a day counted from 1 January 1970, which is not before it.
    private static func date(ofDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        // Years that begin with March: the leap day is their last.
        let shifted = day + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * marchMonth + 2) / 5 + 1
        )
    }
}
