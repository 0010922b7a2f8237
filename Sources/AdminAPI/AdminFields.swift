import ByteCodec

/// The fields of a record on their way between a value and a JSON object.
///
/// A record lists its fields once, in `init(_:)`, and the list serves both ways: the writer asks the record for the
/// value of each field, writes it and hands it back; the reader makes the value from the object. The order of the list
/// is the order on the socket.
struct AdminFields<Record> {
    private let way: FieldWay
    /// Record whose fields are listed; `nil` where one is made of an object or of samples.
    private let record: Record?

    private init(_ way: FieldWay, _ record: Record?) {
        self.way = way
        self.record = record
    }

    /// Makes a record of samples.
    static var sampling: AdminFields { AdminFields(.sampling, nil) }

    static func writing(_ record: Record, to line: LineWriter) -> AdminFields { AdminFields(.writing(line), record) }

    static func reading(_ object: ObjectReader) -> AdminFields { AdminFields(.reading(object), nil) }

    /// Says of a record where its fields stand on a command line.
    static func describing(_ record: Record, to note: OperationNote) -> AdminFields {
        AdminFields(.describing(note), record)
    }

    /// Makes the same record with the rows of the pages before, or for the page behind.
    static func turning(_ record: Record, _ pages: AdminPages) -> AdminFields { AdminFields(.turning(pages), record) }

    /// Makes a record of typed words; fields without a place keep the values of a sample.
    static func typing(_ sample: Record, _ words: PlacedWords) -> AdminFields { AdminFields(.typing(words), sample) }

    /// A field that stands in every object, or, when `Value` is optional, one that is left out for `nil`.
    ///
    /// - Throws: `invalid` with the name of the field, when reading alone.
    func callAsFunction<Value: AdminValue>(
        _ key: StaticString, _ value: (Record) -> Value
    ) throws(AdminError) -> Value {
        try self.way.field(key, self.record.map(value))
    }

    /// The same, with a place on a command line.
    ///
    /// - Throws: `invalid` with the name of the field, when reading or typing alone.
    func callAsFunction<Value: AdminValue>(
        _ key: StaticString, _ value: (Record) -> Value, _ place: CommandPlace?
    ) throws(AdminError) -> Value {
        try self.way.field(key, self.record.map(value), place)
    }

    /// A field of a case, which has it at hand.
    func callAsFunction<Value: AdminValue>(_ key: StaticString, _ value: Value) throws(AdminError) -> Value {
        try self.way.field(key, value)
    }

    /// The same, with a place on a command line.
    func callAsFunction<Value: AdminValue>(
        _ key: StaticString, _ value: Value, _ place: CommandPlace?
    ) throws(AdminError) -> Value {
        try self.way.field(key, value, place)
    }

    /// A record as a field of a case; its own fields say where they stand on a command line.
    func record<Inner: AdminRecord>(_ key: StaticString, _ value: Inner) throws(AdminError) -> Inner {
        try self.record(key) { _ in value }
    }

    /// A record as a field of another; its own fields say where they stand on a command line.
    func record<Inner: AdminRecord>(
        _ key: StaticString, _ value: (Record) -> Inner
    ) throws(AdminError) -> Inner {
        switch self.way {
        case .writing, .reading, .sampling: try self(key, value)
        case .describing, .typing, .turning: try self.inline(value)
        }
    }

    /// Rows of one page of a list.
    func rows<Row: AdminValue>(_ key: StaticString, _ rows: [Row]) throws(AdminError) -> [Row] {
        self.joined(key, try self(key, rows))
    }

    /// Rows of a record of an answer, with those of the pages before where pages become one answer.
    func joined<Row: AdminValue>(_ key: StaticString, _ rows: [Row]) -> [Row] {
        guard case .turning(let pages) = self.way else { return rows }
        return pages.add(rows, key.description)
    }

    /// Place behind the page of an answer; `nil` on the last.
    func next<Place: AdminValue>(_ place: Place?) throws(AdminError) -> Place? {
        if case .turning(let pages) = self.way { pages.next = place.map { $0 as any AdminValue } }
        return try self("next", place)
    }

    /// The same in a record of an answer.
    func next<Place: AdminValue>(_ place: (Record) -> Place?) throws(AdminError) -> Place? {
        guard let record = self.record else { return try self("next", place) }
        return try self.next(place(record))
    }

    /// Place in a request for a page: the `next` of the page before, `nil` for the first.
    func page<Place: AdminValue>(_ key: StaticString, _ place: Place?) throws(AdminError) -> Place? {
        try self.page(key) { (_: Record) in place }
    }

    /// The same in a record of a request.
    func page<Place: AdminValue>(
        _ key: StaticString, _ place: (Record) -> Place?
    ) throws(AdminError) -> Place? {
        guard case .turning(let pages) = self.way else { return try self(key, place) }
        return pages.turn()
    }

    /// A field that is left out when it has its usual value.
    func callAsFunction<Value: AdminValue>(
        _ key: StaticString, _ value: (Record) -> Value, usually usual: Value
    ) throws(AdminError) -> Value {
        try self(key) { (record: Record) -> Value? in
            let value = value(record)
            return value == usual ? nil : value
        } ?? usual
    }

    /// A field that is always written, and may be missing in what others wrote.
    func callAsFunction<Value: AdminValue>(
        _ key: StaticString, _ value: (Record) -> Value, whenMissing missing: Value, _ place: CommandPlace? = nil
    ) throws(AdminError) -> Value {
        try self(key, { (record: Record) -> Value? in value(record) }, place) ?? missing
    }

    /// A number of a case, with its bounds.
    func callAsFunction(
        _ key: StaticString, _ value: Int64, in bounds: ClosedRange<Int64>, _ place: CommandPlace? = nil
    ) throws(AdminError) -> Int64 {
        let value = try self(key, value, place)
        try self.check(bounds.contains(value), key)
        return value
    }

    /// A number of a case that may be missing, with its bounds.
    func callAsFunction(
        _ key: StaticString, _ value: Int64?, in bounds: ClosedRange<Int64>, _ place: CommandPlace? = nil
    ) throws(AdminError) -> Int64? {
        let value = try self(key, value, place)
        try self.check(value.map { bounds.contains($0) } ?? true, key)
        return value
    }

    /// A text of a case, with the most bytes it may have.
    func callAsFunction(
        _ key: StaticString, _ value: String, atMost bytes: Int, _ place: CommandPlace? = nil
    ) throws(AdminError) -> String {
        let value = try self(key, value, place)
        try self.check(value.utf8.count <= bytes, key)
        return value
    }

    /// A list of a case, with how many it may have.
    func callAsFunction<Value: AdminValue>(
        _ key: StaticString, _ values: [Value], count bounds: ClosedRange<Int>
    ) throws(AdminError) -> [Value] {
        let values = try self(key, values)
        let counts = "\(bounds.lowerBound) to \(bounds.upperBound)"
        try self.check(
            bounds.contains(values.count), AdminError(.invalid, "\(key): one request has \(counts) of them"))
        return values
    }

    /// The form of a value of which several could be given.
    ///
    /// - Throws: `invalid` with `key` when none is; for typed words, in the words of `refusal` unless one alone is.
    func one<Form>(of forms: Form?..., or key: StaticString, _ refusal: String? = nil) throws(AdminError) -> Form {
        let given = forms.compactMap { $0 }
        if let refusal { try self.checkTyped(given.count == 1, refusal) }
        guard let first = given.first else { throw .field(key.description) }
        return first
    }

    /// The fields of another record, beside the own ones in the same object.
    func inline<Inner: AdminRecord>(_ value: (Record) -> Inner) throws(AdminError) -> Inner {
        try Inner(AdminFields<Inner>(self.way, self.record.map(value)))
    }

    /// The fields of a record that one word of a command line says.
    func inline<Inner: AdminRecord>(_ value: Inner, _ place: CommandPlace) throws(AdminError) -> Inner {
        switch self.way {
        case .writing, .reading, .sampling, .turning: try self.inline(value)
        case .describing, .typing: try self("", value, place)
        }
    }

    /// The fields of a record that a case holds alone or beside others.
    func inline<Inner: AdminRecord>(_ value: Inner) throws(AdminError) -> Inner {
        try self.inline { (_: Record) in value }
    }

    /// The fields of a case of another family.
    func inline<Inner: AdminFamily>(_ value: Inner) throws(AdminError) -> Inner {
        switch self.way {
        case .writing(let line): try value.pass(.writing(value, to: line))
        case .reading(let object): try value.pass(.reading(object))
        case .sampling: value
        case .describing(let note): try value.describe(to: note)
        case .typing(let words): try value.pass(.typing(value, words))
        case .turning(let pages): try value.pass(.turning(value, pages))
        }
    }

    /// Facts of an operation beside its fields, when it is described.
    var note: OperationNote? {
        guard case .describing(let note) = self.way else { return nil }
        return note
    }

    /// True when a request is made of typed words.
    var isTyping: Bool {
        if case .typing = self.way { true } else { false }
    }

    /// Refuses an object that was read and whose field is out of its bounds. Nothing is checked when writing.
    func check(_ isRight: @autoclosure () -> Bool, _ key: StaticString) throws(AdminError) {
        try self.check(isRight(), .field(key.description))
    }

    /// Refuses an object that was read, in other words.
    func check(_ isRight: @autoclosure () -> Bool, _ error: @autoclosure () -> AdminError) throws(AdminError) {
        if case .reading = self.way, !isRight() { throw error() }
    }
}

/// The way that the fields of a record go, whichever record it is.
///
/// It is no part of `AdminFields<Record>`, so that what is done with a field is compiled once for each type of value, and
/// not once more for each record: that was half of the module's code. What only requests, samples and refusals go
/// through is compiled once for all types (`optimize.sil.specialize.generic.never`, here and at the values' defaults).
private enum FieldWay {
    case writing(LineWriter)
    case reading(ObjectReader)
    /// Nothing is there but the types of the fields.
    case sampling
    case describing(OperationNote)
    case typing(PlacedWords)
    case turning(AdminPages)

    /// - Parameter value: value of the field; `nil` where there is none yet.
    @inline(never)
    func field<Value: AdminValue>(_ key: StaticString, _ value: Value?) throws(AdminError) -> Value {
        if case .reading(let object) = self { return try object.value(key) }
        guard let value else { return .sample }
        if case .writing(let line) = self { line.field(key, value) }
        return value
    }

    /// The same for a field that has a place.
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    func field<Value: AdminValue>(
        _ key: StaticString, _ value: Value?, _ place: CommandPlace?
    ) throws(AdminError) -> Value {
        guard let value, let place else { return try self.field(key, value) }
        switch self {
        case .reading, .writing, .sampling, .turning: return try self.field(key, value)
        case .describing(let note):
            note.add(value, at: place)
            return value
        case .typing(let words):
            if let words = words[place.name] { return try Value(words: words, at: place) }
            if place.hasUsual { return value }
            guard let unsaid = Value.unsaid(at: place) else {
                throw AdminError(.invalid, "\(place.name) is missing")
            }
            return unsaid
        }
    }
}

/// Reads one JSON object, field by field; says which field is wrong.
struct ObjectReader {
    /// An object.
    private let object: JSONValue

    /// - Throws: `protocolError` when the line is not one JSON object.
    init(line: [UInt8]) throws(AdminError) {
        do throws(JSONError) {
            self.object = try JSONValue(parsing: line)
        } catch {
            throw AdminError(.protocolError, "a line of the admin protocol is one JSON object: \(error)")
        }
        guard case .object = self.object else {
            throw AdminError(.protocolError, "a line of the admin protocol is one JSON object")
        }
    }

    /// - Throws: `invalid` with `key` when the value is no object.
    init(_ json: JSONValue, _ key: String) throws(AdminError) {
        guard case .object = json else { throw .field(key) }
        self.object = json
    }

    /// - Throws: `invalid` with the name of the field.
    func value<Value: AdminValue>(_ key: StaticString) throws(AdminError) -> Value {
        let key = key.description
        return try Value(self.object[key] ?? .null, key)
    }

    func object(_ key: String) throws(AdminError) -> ObjectReader {
        try ObjectReader(self.object[key] ?? .null, key)
    }
}

/// The line that is being written; one for all the records in it.
final class LineWriter {
    var json = JSONWriter()

    /// The bytes of one object.
    static func object(_ fill: (LineWriter) -> Void) -> [UInt8] {
        let line = LineWriter()
        line.object { fill(line) }
        return line.json.bytes
    }

    func object(_ fill: () -> Void) {
        self.json.beginObject()
        fill()
        self.json.endObject()
    }

    func object(_ key: StaticString, _ fill: () -> Void) {
        self.json.key(key)
        self.object(fill)
    }

    /// Leaves the field out when there is no value.
    func field(_ key: StaticString, _ value: some AdminValue) {
        guard !value.isAbsent else { return }
        self.json.key(key)
        value.write(to: self)
    }
}

/// A value that crosses the admin socket as a JSON object.
protocol AdminRecord: AdminValue {
    /// Lists the fields.
    init(_ fields: AdminFields<Self>) throws(AdminError)
}

extension AdminRecord {
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    static var sample: Self {
        do throws(AdminError) {
            return try Self(.sampling)
        } catch {
            preconditionFailure("a sample has no field that is wrong: \(error)")
        }
    }

    init(_ json: JSONValue, _ key: String) throws(AdminError) {
        try self.init(.reading(ObjectReader(json, key)))
    }

    func write(to line: LineWriter) { line.object { self.writeFields(to: line) } }

    func writeFields(to line: LineWriter) {
        do throws(AdminError) {
            _ = try Self(.writing(self, to: line))
        } catch {
            preconditionFailure("only reading finds a field wrong: \(error)")
        }
    }

    /// The record alone, as one JSON object.
    var object: [UInt8] { LineWriter.object(self.writeFields) }
}

/// Requests, answers or events, each of which has a word on the socket and fields.
protocol AdminFamily: Equatable, Sendable {
    /// Every case once, with samples.
    static var all: [Self] { get }
    /// Says the word of the case and lists its fields: the same case with what was written or read.
    func pass(_ fields: AdminFields<Self>) throws(AdminError) -> Self
    /// Says of an operation what stands beside its fields.
    func describe(to note: OperationNote) throws(AdminError) -> Self
}

extension AdminFamily {
    func describe(to note: OperationNote) throws(AdminError) -> Self { try self.pass(.describing(self, to: note)) }

    /// Word on the socket, as its definition says it.
    var word: String { self.noted.operation.word }

    /// Everything that the case says of itself.
    var noted: OperationNote {
        let note = OperationNote()
        do throws(AdminError) {
            _ = try self.describe(to: note)
        } catch {
            preconditionFailure("only reading finds a field wrong: \(error)")
        }
        return note
    }

    /// Every case by its word.
    static func samplesByWord() -> [String: Self] {
        Dictionary(uniqueKeysWithValues: self.all.map { ($0.word, $0) })
    }

    func writeFields(to line: LineWriter) {
        do throws(AdminError) {
            _ = try self.pass(.writing(self, to: line))
        } catch {
            preconditionFailure("only reading finds a field wrong: \(error)")
        }
    }

    /// The fields alone, as one JSON object.
    var object: [UInt8] { LineWriter.object(self.writeFields) }
}
