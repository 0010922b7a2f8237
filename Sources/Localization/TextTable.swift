import ByteCodec
import CAssets
import Glibc

/// Texts by key, from one language file: a flat JSON object.
struct TextTable: Sendable {
    /// Most bytes of an operator's file.
    static let maximumBytes = 1 << 20

    let texts: [String: String]

    subscript(key: String) -> String? { self.texts[key] }

    /// The texts that the binary carries.
    static func embedded(_ language: Language) -> TextTable {
        var count = 0
        let start =
            switch language {
            case .english: cassets_english(&count)
            case .chinese: cassets_chinese(&count)
            }
        // SAFETY: the bytes are constants of the binary.
        guard let table = try? TextTable(parsing: UnsafeRawBufferPointer(start: start, count: count), path: "") else {
            preconditionFailure("the embedded texts of \(language.rawValue) are not a flat JSON object")
        }
        return table
    }

    /// An operator's texts in `folder`; empty when there is no file for the language.
    static func overlay(_ language: Language, in folder: String) throws(LocalizationError) -> TextTable {
        let path = "\(folder)/\(language.fileName)"
        guard let file = fopen(path, "re") else {
            let code = errno
            if code == ENOENT { return TextTable(texts: [:]) }
            throw .unreadable(path: path, systemError: String(cString: strerror(code)))
        }
        defer { fclose(file) }
        // SAFETY: `fread` writes at most the capacity of the buffer, and says how much it wrote.
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.maximumBytes + 1) { buffer, count in
            count = fread(buffer.baseAddress, 1, Self.maximumBytes + 1, file)
        }
        if ferror(file) != 0 { throw .unreadable(path: path, systemError: String(cString: strerror(errno))) }
        if bytes.count > Self.maximumBytes { throw .tooLarge(path: path, maximumBytes: Self.maximumBytes) }
        return try bytes.withUnsafeBufferPointer { (buffer) throws(LocalizationError) -> TextTable in
            try TextTable(parsing: UnsafeRawBufferPointer(buffer), path: path)
        }
    }

    private init(texts: [String: String]) { self.texts = texts }

    private init(parsing bytes: UnsafeRawBufferPointer, path: String) throws(LocalizationError) {
        let tree: JSONValue
        do throws(JSONError) {
            tree = try JSONValue(parsing: bytes)
        } catch {
            throw .notJSON(path: path, error)
        }
        guard let members = tree.object else { throw .notTexts(path: path) }
        var texts: [String: String] = [:]
        for member in members {
            guard let text = member.value.string else { throw .notTexts(path: path) }
            texts[member.name] = text
        }
        self.texts = texts
    }
}
