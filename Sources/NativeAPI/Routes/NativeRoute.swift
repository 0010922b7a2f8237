package import APIKit
import Accounts
package import ByteCodec
import Transport

/// Handler of a route: it calls the reply of its call once, now or later, on any thread. What it throws is the answer.
package typealias NativeHandler = @Sendable (NativeCall) throws(Problem) -> Void

/// Row of the table of the native API: what serves a path, and what the description of the API says of it.
package struct NativeRoute: Sendable {
    /// Credential of a route.
    package enum Access: Sendable {
        case anyone
        /// A token of one of the person's devices.
        case person
    }

    /// Answer to a request that was done.
    package struct Answer: Sendable {
        /// Status code.
        package var status: Int
        /// Shape of the body; `nil` for none.
        package var shape: Shape?
        /// Media type of the body.
        package var mediaType = "application/json"
        /// True for the state of something at a position of the feed: the answer has the field `Teahouse-Cursor`.
        package var isSnapshot = false

        /// 200 with a body of this shape.
        package static func ok(_ shape: Shape) -> Answer { Answer(status: 200, shape: shape) }
        /// The same, with the position of the feed at which it was true.
        package static func snapshot(_ shape: Shape) -> Answer { Answer(status: 200, shape: shape, isSnapshot: true) }
        /// 201 with a body of this shape.
        package static func made(_ shape: Shape) -> Answer { Answer(status: 201, shape: shape) }
        /// 200 with an SVG picture.
        package static let picture = Answer(status: 200, shape: .anyText, mediaType: Self.svg)
        /// Media type of an SVG picture.
        static let svg = "image/svg+xml"
        /// 204.
        package static let done = Answer(status: 204, shape: nil)
    }

    /// Method in capitals.
    package let method: String
    /// Path below the prefix, with `{name}` for what stands in `path`.
    package let pattern: String
    /// Stable name of the operation, unique in the table.
    package let name: String
    /// One sentence.
    package let summary: String
    /// Credential that the route asks for.
    package let access: Access
    /// Values in the places of the pattern's names.
    package let path: [Field]
    /// Values of the query.
    package let query: [Field]
    /// Members of the body; empty for a route without one, and for one whose body has several forms.
    package let body: [Field]
    /// Forms of the body, told apart by a field of a constant value; empty where there is one form only.
    package let forms: [[Field]]
    /// Answer when it is done.
    package let answer: Answer
    /// Reasons of its own, besides those that every route has.
    package let problems: [ProblemCode]
    let handler: NativeHandler

    package init(
        _ method: String, _ pattern: String, _ name: String, _ summary: String, access: Access = .person,
        path: [Field] = [], query: [Field] = [], body: [Field] = [], forms: [[Field]] = [], answer: Answer,
        problems: [ProblemCode] = [],
        _ handler: @escaping NativeHandler
    ) {
        self.method = method
        self.pattern = pattern
        self.name = name
        self.summary = summary
        self.access = access
        self.path = path
        self.query = query
        self.body = body
        self.forms = forms
        self.answer = answer
        self.problems = problems
        self.handler = handler
    }

    /// Shape of the body; `nil` for a route without one.
    var bodyShape: Shape? {
        if !self.forms.isEmpty { return .either(self.forms.map { .object($0) }) }
        return self.body.isEmpty ? nil : .object(self.body)
    }

    /// Fields of the body, in whatever form.
    var bodyFields: [Field] { self.body + self.forms.flatMap { $0 } }

    /// True when the body has to be there.
    var needsBody: Bool { !self.forms.isEmpty || self.body.contains(where: \.isRequired) }

    /// Maximum bytes of a body.
    private static let maximumBytes = 256 * 1024

    /// The route for the gateway, which finds it and proves the caller.
    package func route(_ native: NativeServices) -> Route {
        Route(
            self.method, APIPaths.prefix + self.pattern, self.access == .anyone ? .anyone : .session,
            maximumBytes: self.bodyShape == nil ? Route.usualBytes : Self.maximumBytes
        ) { (request, services, reply) throws(APIFailure) in
            let reply: APIReply = { reply(self.placed($0)) }
            do throws(Problem) {
                let input = try self.parse(request)
                let person: Identity? = if case .person(let identity) = request.caller { identity } else { nil }
                try self.handler(
                    NativeCall(
                        request: request, services: services, native: native, input: input, caller: person,
                        reply: reply))
            } catch {
                throw self.placed(error.failure)
            }
        }
    }

    // MARK: Status

    /// Status of a reason here. 404 is for what the path names; what the body or the query names and is not there is 409.
    func status(of code: ProblemCode) -> Int {
        guard let places = code.places, !self.path.contains(where: { places.contains($0.name) }) else {
            return code.status
        }
        return 409
    }

    private func placed(_ failure: APIFailure) -> APIFailure {
        var failure = failure
        if let code = failure.problem.flatMap(ProblemCode.init(rawValue:)) { failure.status = self.status(of: code) }
        return failure
    }

    private func placed(_ answer: APIAnswer) -> APIAnswer {
        answer.failure.map { .failure(self.placed($0)) } ?? answer
    }

    // MARK: Parsing

    /// Checks every value of a request against the table.
    ///
    /// - Throws: 400 for what is missing, unknown, or outside of its bounds.
    func parse(_ request: APIRequest) throws(Problem) -> NativeInput {
        var values: [String: JSONValue] = [:]
        for field in self.path {
            guard let text = request.parameters[field.name], let value = field.shape.value(ofText: text) else {
                throw field.shape.wrong(field.name)
            }
            try field.shape.check(value, at: field.name)
            values[field.name] = value
        }
        for name in request.query.names where !self.query.contains(where: { $0.name == name }) {
            throw Problem(.unknownField, "\(name) is no field of the query here", field: name)
        }
        for field in self.query {
            let texts = request.query.all(field.name)
            guard texts.count < 2 else { throw Problem(.invalidField, "\(field.name) stands twice", field: field.name) }
            guard let text = texts.first else {
                if field.isRequired { throw Problem(.missingField, "\(field.name) is missing", field: field.name) }
                continue
            }
            guard let value = field.shape.value(ofText: text) else { throw field.shape.wrong(field.name) }
            try field.shape.check(value, at: field.name)
            values[field.name] = value
        }
        try self.parseBody(of: request, into: &values)
        return NativeInput(values, known: self.path + self.query + self.bodyFields)
    }

    private func parseBody(of request: APIRequest, into values: inout [String: JSONValue]) throws(Problem) {
        let body = request.body
        guard self.bodyShape != nil else {
            guard !request.hasBody || body.object?.isEmpty == true else {
                throw Problem(.invalidRequest, "this request has no body")
            }
            return
        }
        // A body that nothing of is required may be left out.
        if !request.hasBody, !self.needsBody { return }
        guard let members = body.object else { throw Problem(.invalidRequest, "the body must be a JSON object") }
        try Shape.check(members, try self.form(of: body))
        for member in members { values[member.name] = member.value }
    }

    /// Fields of the form that a body has.
    private func form(of body: JSONValue) throws(Problem) -> [Field] {
        guard let first = self.forms.first else { return self.body }
        let found = self.forms.first { form in
            form.allSatisfy { field in
                if case .constant(let word) = field.shape { body[field.name]?.string == word } else { true }
            }
        }
        if let found { return found }
        let name = first.first { if case .constant = $0.shape { true } else { false } }?.name ?? "the body"
        guard body[name] != nil else { throw Problem(.missingField, "\(name) is missing", field: name) }
        let words = self.forms.flatMap { $0 }.compactMap { field in
            if case .constant(let word) = field.shape { word } else { nil }
        }
        throw Problem(.invalidField, "\(name) must be one of \(words.joined(separator: ", "))", field: name)
    }
}

/// The values of one request, checked against its route. Names are unique over path, query and body.
package struct NativeInput: Sendable {
    private let values: [String: JSONValue]
    private let known: [Field]

    init(_ values: [String: JSONValue], known: [Field]) {
        self.values = values
        self.known = known
    }

    /// Value of a field; `nil` when it is not there.
    package subscript(_ name: String) -> JSONValue? {
        precondition(self.known.contains { $0.name == name }, "\(name) stands in no table")
        return self.values[name]
    }

    /// Text of a field; `nil` when it is not there.
    package func text(_ name: String) -> String? { self[name]?.string }

    /// Text of a field that the table requires.
    package func known(_ name: String) -> String {
        guard let text = self[name]?.string else { preconditionFailure("\(name) is not required in the table") }
        return text
    }

    /// Whole number of a field; `nil` when it is not there.
    package func integer(_ name: String) -> Int64? { self[name]?.whole }

    /// Switch of a field; `nil` when it is not there.
    package func flag(_ name: String) -> Bool? { self[name]?.boolean }

    /// Texts of a list; `nil` when it is not there.
    package func texts(_ name: String) -> [String]? { self[name]?.array.map { $0.compactMap(\.string) } }
}
