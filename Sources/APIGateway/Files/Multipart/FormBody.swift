/// A form that brings one file, while it arrives: what is to be done with it, one thing after the other.
///
/// Bytes that were added and could not be told apart yet wait here: at most one piece of the connection and the longest
/// header of a part.
struct FormBody {
    enum Action: Equatable {
        /// The file begins: open a place for it before anything else is asked for.
        case file(MultipartPart)
        /// The next bytes of the file.
        case content([UInt8])
    }

    /// Maximum bytes of the values of all fields that are no file.
    static let maximumFieldBytes = 64 * 1024
    /// The field that the file stands in.
    static let fileField = "file"

    private enum Place {
        case outside
        case field(String, [UInt8])
        case file
    }

    private var reader: MultipartReader
    private var pending: [UInt8] = []
    private var place = Place.outside
    private var fieldBytes = 0
    /// Values of the other fields, as far as they have been read.
    private(set) var fields: [String: String] = [:]
    private(set) var hasFile = false

    /// - Parameter contentType: of the request.
    init(contentType: String) throws(FormError) {
        do throws(MultipartError) {
            self.reader = try MultipartReader(contentType: contentType)
        } catch {
            throw .form(error)
        }
    }

    mutating func add(_ bytes: UnsafeRawBufferPointer) { self.pending.append(contentsOf: bytes) }

    /// Action to take next; `nil` when more must come first.
    mutating func next() throws(FormError) -> Action? {
        while true {
            switch try self.step() {
            case .incomplete(let consumed):
                self.pending.removeFirst(consumed)
                if consumed == 0 || self.pending.isEmpty { return nil }
            case .event(let event, let consumed):
                let action = try self.handle(event)
                self.pending.removeFirst(consumed)
                if let action { return action }
            }
        }
    }

    private mutating func step() throws(FormError) -> MultipartReader.Step {
        var reader = self.reader
        defer { self.reader = reader }
        let outcome = self.pending.withUnsafeBytes { bytes -> Result<MultipartReader.Step, MultipartError> in
            do throws(MultipartError) {
                return .success(try reader.next(bytes))
            } catch {
                return .failure(error)
            }
        }
        switch outcome {
        case .success(let step): return step
        case .failure(let error): throw .form(error)
        }
    }

    private mutating func handle(_ event: MultipartReader.Event) throws(FormError) -> Action? {
        switch event {
        case .part(let part):
            guard part.name == Self.fileField || part.fileName != nil else {
                self.place = .field(part.name, [])
                return nil
            }
            guard !self.hasFile else { throw .secondFile }
            self.hasFile = true
            self.place = .file
            return .file(part)
        case .content(let count): return try self.content(count)
        case .partEnd:
            if case .field(let name, let value) = self.place {
                self.fields[name] = String(decoding: value, as: UTF8.self)
            }
            self.place = .outside
        case .formEnd: break
        }
        return nil
    }

    private mutating func content(_ count: Int) throws(FormError) -> Action? {
        switch self.place {
        case .outside: return nil
        case .file: return .content(Array(self.pending.prefix(count)))
        case .field(let name, var value):
            self.fieldBytes += count
            guard self.fieldBytes <= Self.maximumFieldBytes else { throw .longFields }
            self.place = .outside
            value += self.pending.prefix(count)
            self.place = .field(name, value)
            return nil
        }
    }

    /// The body is over.
    func end() throws(FormError) {
        do throws(MultipartError) {
            try self.reader.end()
        } catch {
            throw .form(error)
        }
        guard self.hasFile else { throw .noFile }
    }
}

/// Reason why a form is refused. Each is answered with 400.
enum FormError: Error, Hashable {
    case form(MultipartError)
    case longFields
    case secondFile
    case noFile
}

extension FormError: CustomStringConvertible {
    var description: String {
        switch self {
        case .form(let error): error.description
        case .longFields: "the fields of the form have more than \(FormBody.maximumFieldBytes) bytes"
        case .secondFile: "the form has more than one file: send each by itself"
        case .noFile: "the form has no field `\(FormBody.fileField)`"
        }
    }
}
