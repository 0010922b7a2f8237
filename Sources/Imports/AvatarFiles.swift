import ByteCodec
import LeanCloudPull
import LeanCloudTranslation

/// Addresses of files that pictures of people point to by their object id alone.
struct AvatarFiles {
    /// Most pictures that are looked for; others stay without an address.
    static let most = 200_000

    /// Addresses by object id; an empty one was not found.
    private var addresses: [String: String] = [:]

    /// Reads the rows of people once, and those of files once where somebody points to one.
    ///
    /// - Parameters:
    ///   - people: files with rows of people.
    ///   - files: file with the rows of `_File`.
    /// - Throws: when a file cannot be read.
    init(of people: [String], in files: String) throws(PullError) {
        for path in people {
            guard let reader = try LineReader(path) else { continue }
            while let line = try reader.next() {
                guard self.addresses.count < Self.most, let id = Self.file(of: line) else { continue }
                self.addresses[id] = ""
            }
        }
        guard !self.addresses.isEmpty, let reader = try LineReader(files) else { return }
        while let line = try reader.next() {
            guard let row = try? JSONValue(parsing: line), let id = row["objectId"]?.string,
                self.addresses[id] != nil, let address = row["url"]?.string
            else { continue }
            self.addresses[id] = address
        }
    }

    private static func file(of line: [UInt8]) -> String? {
        (try? JSONValue(parsing: line)).flatMap { ShownProfile.avatarFile($0) }
    }

    /// A row of a person with the address of the picture, where only its file was named.
    func completed(_ line: [UInt8]) -> [UInt8] {
        guard !self.addresses.isEmpty, let id = Self.file(of: line), let address = self.addresses[id], address != "",
            let members = (try? JSONValue(parsing: line))?.object
        else { return line }
        let more = JSONValue.Member(LeanCloudExportedUser.avatarAddress, .string(address))
        return JSONValue.object(members + [more]).serialized()
    }
}
