package import ChatModel
import LeanCloudImport
import Store

/// Gives the address by which apps read a file, of its link and its name.
package typealias FileAddress = @Sendable (_ link: FileLinkKey, _ name: String) -> String

/// A content of a file on this machine that is to be brought.
package struct ImportContent: Hashable, Sendable {
    /// Path of the file.
    package var path: String
    /// Bytes of the file.
    package var bytes: Int64
    /// Name that people see.
    package var name: String
    /// Media type; empty for an unknown one.
    package var mediaType: String

    /// - Parameter line: row of `_File` that the content is of.
    init?(_ path: String, bytes: Int64, of line: [UInt8]) {
        guard let row = try? FileImportRow.read(line) else { return nil }
        self.path = path
        self.bytes = bytes
        self.name = row.name
        self.mediaType = row.mediaType
    }
}

/// Outcome of bringing a content.
package enum ImportedContent: Hashable, Sendable {
    case brought(FileKey)
    /// It cannot be here: the reason for the operator.
    case refused(String)
}

// Files of an app.
extension ImportBatch {
    func bringFiles(
        _ store: WriteTransaction, _ number: Int64, _ address: FileAddress?, _ outcome: inout ImportBatchOutcome
    ) throws(StoreError) {
        for (index, line) in self.lines.enumerated() {
            let row: ImportedFile
            do throws(RowProblem) { row = try FileImportRow.read(line) } catch {
                outcome.refuse(index, error.description)
                continue
            }
            let content = index < self.contents.count ? self.contents[index] : nil
            let link = FileLinkKey(random: (0..<26).map { _ in UInt8.random(in: 0...255) })
            let done = try store.imports.addFile(
                row, content: content, link: link, address: { link in address.map { $0(link, row.name) } }, to: number)
            switch done {
            case .made: outcome.counts.added += 1
            case .updated: outcome.counts.changed += 1
            case .unchanged: outcome.counts.known += 1
            case .kept: outcome.counts.kept += 1
            case .wanted: outcome.wanted.append(index)
            case .refused(let why): outcome.refuse(index, why)
            }
        }
    }

    /// Outcome that a row of a file would have.
    func foreseeFile(
        _ line: [UInt8], at index: Int, in store: ReadTransaction, _ outcome: inout ImportBatchOutcome
    ) throws {
        let row = try FileImportRow.read(line)
        if try store.apps.appFile(row.objectID) != nil {
            outcome.counts.known += 1
        } else if row.isElsewhere {
            outcome.counts.added += 1
        } else {
            outcome.wanted.append(index)
        }
    }

    /// Object ID of the file that a line is of; `nil` for a line that is none.
    static func file(of line: [UInt8]) -> ObjectID? { (try? FileImportRow.read(line))?.objectID }
}
