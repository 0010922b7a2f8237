import ByteCodec
import ChatModel

// Checks of what is written, for every subject.
extension WriteTransaction {
    static func withoutRepeats(_ users: [UserID]) -> [UserID] {
        var seen: Set<UserID> = []
        return users.filter { seen.insert($0).inserted }
    }

    static func check(scalars text: String?, _ bound: Int, _ what: String) throws(StoreError) {
        guard let count = text?.unicodeScalars.count, count > bound else { return }
        throw .invalid("the \(what) has at most \(bound) characters, not \(count)")
    }

    static func check(bytes text: String?, _ bound: Int, _ what: String) throws(StoreError) {
        guard let count = text?.utf8.count, count > bound else { return }
        throw .invalid("the \(what) has at most \(bound) bytes, not \(count)")
    }

    /// `nil` leaves it, an empty text removes it.
    static func set(_ value: inout String?, _ new: String?) {
        if let new { value = new.isEmpty ? nil : new }
    }

    /// A JSON object after a merge patch; `nil` when nothing is left.
    static func merged(
        _ old: [UInt8]?, _ mergePatch: [UInt8], _ bound: Int, _ what: String
    ) throws(StoreError) -> [UInt8]? {
        guard let patch = try? JSONValue(parsing: mergePatch), patch.object != nil,
            let value = try? JSONValue(parsing: old ?? Array("{}".utf8))
        else { throw .invalid("the \(what) are no JSON object") }
        let merged = value.merging(patch: patch)
        if merged.object?.isEmpty == true { return nil }
        let text = merged.serialized()
        guard text.count <= bound else {
            throw .invalid("the \(what) have at most \(bound) bytes, not \(text.count)")
        }
        return text
    }

    static func check(_ text: String, maximumScalars: Int, _ what: String) throws(StoreError) {
        guard text.unicodeScalars.count <= maximumScalars else {
            throw .invalid("\(what) has at most \(maximumScalars) characters")
        }
    }
}
