import ByteCodec

/// Shape of a value in a request or an answer, with its bounds. Requests are checked against it, and the description of the
/// API is written from it.
package indirect enum Shape: Sendable {
    /// Unicode scalars of the text, and what they may be.
    case text(ClosedRange<Int>, TextRule = .any)
    case integer(ClosedRange<Int64>)
    /// Finite numbers, whole ones too.
    case number(ClosedRange<Double>)
    case flag
    /// One of these words.
    case choice([String])
    /// This word or number and no other: tells the forms of `either` apart.
    case constant(String)
    case list(Shape, ClosedRange<Int>)
    case object([Field])
    /// The first of these that fits.
    case either([Shape])
    /// A value that is described once, by its name among `NativeSchemas`. In answers only.
    case reference(String)
    /// Any JSON object.
    case anyObject

    /// Most entries of a list in an answer, where the answer itself bounds it.
    package static let most = 100_000
    /// Times in milliseconds UTC, and numbers that count.
    package static let count = Shape.integer(0...Int64.max)
    /// A text of an answer, of any length.
    package static let anyText = Shape.text(0...Int.max)
}

/// Characters that a text may have.
package enum TextRule: Sendable {
    case any
    /// No control characters.
    case plain
    /// Up to 18 decimal digits: ids.
    case digits
    /// Two of these with a hyphen between them.
    case places

    /// As ECMA-262 writes it; `nil` for any text.
    var pattern: String? {
        switch self {
        case .any: nil
        case .plain: "^[^\\u0000-\\u001f\\u007f-\\u009f]*$"
        case .digits: "^[0-9]{1,18}$"
        case .places: "^[0-9]{1,18}-[0-9]{1,18}$"
        }
    }

    func takes(_ text: String) -> Bool {
        switch self {
        case .any: true
        case .plain: text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
        case .digits: Self.isNumber(text.utf8)
        case .places: Self.areNumbers(text.utf8.split(separator: 0x2D, omittingEmptySubsequences: false))
        }
    }

    private static func isNumber(_ text: some Collection<UInt8>) -> Bool {
        (1...18).contains(text.count) && text.allSatisfy { (0x30...0x39).contains($0) }
    }

    private static func areNumbers(_ parts: [some Collection<UInt8>]) -> Bool {
        parts.count == 2 && parts.allSatisfy { self.isNumber($0) }
    }
}

/// One named value of an object, a path or a query.
package struct Field: Sendable {
    /// Name, as it stands in JSON.
    package let name: String
    /// Shape of the value.
    package let shape: Shape
    /// True when the value has to be there.
    package let isRequired: Bool
    /// Purpose of the value, for the description; `nil` where its name says it.
    package let about: String?

    private init(_ name: String, _ shape: Shape, isRequired: Bool, _ about: String?) {
        self.name = name
        self.shape = shape
        self.isRequired = isRequired
        self.about = about
    }

    /// A value that has to be there.
    package static func required(_ name: String, _ shape: Shape, _ about: String? = nil) -> Field {
        Field(name, shape, isRequired: true, about)
    }

    /// A value that may be missing.
    package static func optional(_ name: String, _ shape: Shape, _ about: String? = nil) -> Field {
        Field(name, shape, isRequired: false, about)
    }
}

// MARK: Checking

extension Shape {
    /// Checks a value.
    ///
    /// - Parameter place: name of the value, for the refusal.
    /// - Throws: 400 `invalid_field`, `missing_field` or `unknown_field`.
    func check(_ value: JSONValue, at place: String) throws(Problem) {
        switch self {
        case .text(let bounds, let rule):
            guard let text = value.string, bounds.contains(text.unicodeScalars.count), rule.takes(text) else {
                throw self.wrong(place)
            }
        case .integer(let bounds):
            guard let number = value.whole, bounds.contains(number) else { throw self.wrong(place) }
        case .number(let bounds):
            guard let number = value.double ?? value.integer.map(Double.init), bounds.contains(number) else {
                throw self.wrong(place)
            }
        case .flag: guard value.boolean != nil else { throw self.wrong(place) }
        case .choice(let words):
            guard let text = value.string, words.contains(text) else { throw self.wrong(place) }
        case .constant(let word): guard value.string == word else { throw self.wrong(place) }
        case .list(let shape, let bounds):
            guard let entries = value.array, bounds.contains(entries.count) else { throw self.wrong(place) }
            for (index, entry) in entries.enumerated() { try shape.check(entry, at: "\(place)[\(index)]") }
        case .object(let fields):
            guard let members = value.object else { throw self.wrong(place) }
            try Self.check(members, fields, at: "\(place).")
        case .either(let shapes):
            for shape in shapes {
                do throws(Problem) {
                    return try shape.check(value, at: place)
                } catch {
                    continue
                }
            }
            throw self.wrong(place)
        case .reference(let name): preconditionFailure("\(name) is a value of answers")
        case .anyObject: guard value.object != nil else { throw self.wrong(place) }
        }
    }

    /// Checks the members of an object: nothing unknown, nothing missing, everything in its bounds.
    static func check(_ members: [JSONValue.Member], _ fields: [Field], at place: String = "") throws(Problem) {
        for member in members where !fields.contains(where: { $0.name == member.name }) {
            throw Problem(.unknownField, "\(place)\(member.name) is no field here", field: place + member.name)
        }
        for field in fields {
            if let member = members.first(where: { $0.name == field.name }) {
                try field.shape.check(member.value, at: place + field.name)
            } else if field.isRequired {
                throw Problem(.missingField, "\(place)\(field.name) is missing", field: place + field.name)
            }
        }
    }

    /// Value of a text in a path or a query; `nil` for a text that stands for none.
    func value(ofText text: String) -> JSONValue? {
        switch self {
        case .integer: Int64(text).map { .integer($0) }
        case .number: Double(text).map { .double($0) }
        case .flag: text == "true" ? .boolean(true) : text == "false" ? .boolean(false) : nil
        case .list(let shape, _):
            Self.list(
                text.split(separator: ",", omittingEmptySubsequences: false).map { shape.value(ofText: String($0)) })
        case .text, .choice, .constant, .object, .either, .reference, .anyObject: .string(text)
        }
    }

    private static func list(_ entries: [JSONValue?]) -> JSONValue? {
        let known = entries.compactMap { $0 }
        return known.count == entries.count ? .array(known) : nil
    }

    func wrong(_ place: String) -> Problem { Problem(.invalidField, "\(place) must be \(self.words)", field: place) }

    /// The shape in words, for refusals.
    private var words: String {
        switch self {
        case .text(let bounds, let rule):
            switch rule {
            case .any: "a text of \(Self.words(bounds)) characters"
            case .plain: "a text of \(Self.words(bounds)) characters without control characters"
            case .digits: "a number of 1 to 18 digits, as a text"
            case .places: "the id of a message"
            }
        case .integer(let bounds): "a whole number from \(bounds.lowerBound) to \(bounds.upperBound)"
        case .number(let bounds): "a number from \(bounds.lowerBound) to \(bounds.upperBound)"
        case .flag: "true or false"
        case .choice(let words): "one of \(words.joined(separator: ", "))"
        case .constant(let word): word
        case .list(let shape, let bounds): "a list of \(Self.words(bounds)), each \(shape.words)"
        case .object, .anyObject: "an object"
        case .either(let shapes): shapes.map(\.words).joined(separator: ", or ")
        case .reference(let name): "a \(name)"
        }
    }

    private static func words(_ bounds: ClosedRange<Int>) -> String { "\(bounds.lowerBound) to \(bounds.upperBound)" }
}

extension JSONValue {
    /// A whole number, which may be written with a fraction of zero, as JSON Schema counts them; `nil` for any other value.
    var whole: Int64? { self.integer ?? self.double.flatMap { Int64(exactly: $0) } }
}

// MARK: Describing

extension Shape {
    /// Writes the shape as a JSON Schema of 2020-12, the dialect of OpenAPI 3.1.
    ///
    /// - Parameter about: text for people; `nil` for none.
    func write(to writer: inout JSONWriter, about: String? = nil) {
        writer.beginObject()
        if let about {
            writer.key("description")
            writer.string(about)
        }
        switch self {
        case .text(let bounds, let rule):
            Self.write("string", to: &writer)
            Self.write("minLength", bounds.lowerBound, unless: 0, to: &writer)
            Self.write("maxLength", bounds.upperBound, unless: .max, to: &writer)
            if let pattern = rule.pattern {
                writer.key("pattern")
                writer.string(pattern)
            }
        case .integer(let bounds):
            Self.write("integer", to: &writer)
            writer.key("minimum")
            writer.integer(bounds.lowerBound)
            writer.key("maximum")
            writer.integer(bounds.upperBound)
        case .number(let bounds):
            Self.write("number", to: &writer)
            writer.key("minimum")
            writer.double(bounds.lowerBound)
            writer.key("maximum")
            writer.double(bounds.upperBound)
        case .flag: Self.write("boolean", to: &writer)
        case .choice(let words):
            Self.write("string", to: &writer)
            writer.key("enum")
            writer.beginArray()
            for word in words { writer.string(word) }
            writer.endArray()
        case .constant(let word):
            writer.key("const")
            writer.string(word)
        case .list(let shape, let bounds):
            Self.write("array", to: &writer)
            Self.write("minItems", bounds.lowerBound, unless: 0, to: &writer)
            Self.write("maxItems", bounds.upperBound, unless: Self.most, to: &writer)
            writer.key("items")
            shape.write(to: &writer)
        case .object(let fields): Self.write(fields, to: &writer)
        case .either(let shapes):
            writer.key("anyOf")
            writer.beginArray()
            for shape in shapes { shape.write(to: &writer) }
            writer.endArray()
        case .reference(let name):
            writer.key("$ref")
            writer.string("#/components/schemas/\(name)")
        case .anyObject: Self.write("object", to: &writer)
        }
        writer.endObject()
    }

    private static func write(_ type: String, to writer: inout JSONWriter) {
        writer.key("type")
        writer.string(type)
    }

    private static func write(_ name: String, _ value: Int, unless usual: Int, to writer: inout JSONWriter) {
        guard value != usual else { return }
        writer.key(name)
        writer.integer(Int64(value))
    }

    private static func write(_ fields: [Field], to writer: inout JSONWriter) {
        Self.write("object", to: &writer)
        writer.key("additionalProperties")
        writer.boolean(false)
        writer.key("properties")
        writer.beginObject()
        for field in fields {
            writer.key(field.name)
            field.shape.write(to: &writer, about: field.about)
        }
        writer.endObject()
        let required = fields.filter(\.isRequired)
        guard !required.isEmpty else { return }
        writer.key("required")
        writer.beginArray()
        for field in required { writer.string(field.name) }
        writer.endArray()
    }
}
