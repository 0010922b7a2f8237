import ChatModel
import FileStore
import Glibc
package import Store

/// Compares the contents on the disk with the rows of a stopped folder: every content that is ready is there and is what
/// it was, and nothing lies there that no row knows of.
package struct ContentVerifier {
    /// Contents of one page of rows.
    private static let together = 256
    /// A content without a row that is younger may be an upload that was just being completed.
    private static let strayMilliseconds: Int64 = 24 * 3_600_000

    private let folder: String
    /// A folder elsewhere that takes new files; empty for none.
    private let directory: String
    /// Sizes and indexes alone; contents are not read.
    package let isQuick: Bool
    /// Contents that are known to be damaged are not looked at: a backup cannot hold them.
    var passesOverDamaged = false
    /// Bytes of contents on the disk that were looked at, and all of them.
    package var progress: (Int64, Int64) -> Void = { _, _ in }
    /// Asked between two pieces; false ends it, as `unavailable`.
    package var isWanted: () -> Bool = { true }
    /// Contents that were looked at.
    package private(set) var objects: Int64 = 0
    /// Bytes of those on the disk.
    package private(set) var bytes: Int64 = 0

    /// - Parameters:
    ///   - folder: the data folder.
    ///   - directory: `files.directory`; empty for none.
    package init(_ folder: String, directory: String, isQuick: Bool) {
        self.folder = folder + "/files"
        self.directory = directory
        self.isQuick = isQuick
    }

    /// - Parameter note: called with a sentence for each fault.
    package mutating func run(_ rows: ReadTransaction, _ note: (String) -> Void) throws(StoreError) {
        let all = try rows.files.fileTotals().storedBytes
        let providers = self.providers(note)
        var last: ContentHash?
        while true {
            let page = try rows.files.allObjects(after: last, limit: Self.together)
            for record in page where !self.passesOverDamaged || record.state != .damaged {
                guard self.isWanted() else { throw .unavailable }
                self.check(record.object, providers, note, all)
                self.objects += 1
                self.bytes += record.object.storedSize
                self.progress(self.bytes, all)
            }
            guard self.isWanted() else { throw .unavailable }
            guard page.count == Self.together, let end = page.last?.object.hash else { break }
            last = end
        }
        for provider in providers { self.findStrays(in: provider, rows, note) }
    }

    /// Only folders that are there: verifying makes none.
    private func providers(_ note: (String) -> Void) -> [any FileProvider] {
        var providers: [any FileProvider] = []
        let places: [(String, ObjectFolder.Kind)] = [(self.folder, .objects), (self.directory, .directory)]
        for (path, kind) in places where !path.isEmpty && access(path, F_OK) == 0 {
            do throws(FileStoreError) {
                providers.append(try ObjectFolder(path, kind))
            } catch {
                note("The folder of files \(path) cannot be used: \(error).")
            }
        }
        return providers
    }

    private func check(
        _ object: StoredObject, _ providers: [any FileProvider], _ note: (String) -> Void, _ all: Int64
    ) {
        guard let provider = providers.first(where: { $0.name == object.provider }) else {
            let place = object.provider == ObjectFolder.Kind.directory.rawValue ? "files.directory" : self.folder
            return note("The content \(object.hash) cannot be looked at: \(place) is not there.")
        }
        do throws(FileStoreError) {
            if self.isQuick {
                _ = try provider.open(object)
            } else {
                var read = self.bytes
                let isWanted = self.isWanted
                try provider.check(object) { count in
                    read += Int64(count)
                    self.progress(read, all)
                    return isWanted()
                }
            }
        } catch {
            note(Self.sentence(error))
        }
    }

    private static func sentence(_ error: FileStoreError) -> String {
        let text = error.description
        return text.prefix(1).uppercased() + text.dropFirst() + "."
    }

    private func findStrays(
        in provider: any FileProvider, _ rows: ReadTransaction, _ note: (String) -> Void
    ) {
        // What another folder keeps need not be here too. Where the rows cannot say, everything is known.
        let isKnown: (ContentHash) -> Bool = { hash in
            do throws(StoreError) {
                return try rows.files.object(hash)?.object.provider == provider.name
            } catch {
                return true
            }
        }
        for hash in provider.orphans(olderThanMilliseconds: Self.strayMilliseconds, isKnown: isKnown) {
            note("The content \(hash) belongs to no file: a server that runs removes it by itself within a day.")
        }
    }
}
