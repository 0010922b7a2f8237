import ChatModel
import FileStore
import Glibc
import Store

/// Opens one data folder after the other exactly as a starting server does, and verifies it.
///
/// Reads the path of a folder per line from standard input and answers each with a line: `ok` and, for each upload that
/// can go on, `FILE=OFFSET`; or what is wrong. `Tests/Crash/powercut.py` and `file_powercut.py` feed it the disks that
/// power cuts leave behind.
@main
enum PowercutReplay {
    /// Unfinished uploads that a recording may have.
    private static let maximumUploads = 1000

    static func main() {
        while let folder = readLine() {
            print(Self.answer(about: folder))
            fflush(nil)
        }
    }

    private static func answer(about folder: String) -> String {
        var options = StoreOptions(folder: folder)
        options.ballastBytes = 0
        options.stopWritingFreeBytes = 0
        do throws(StoreError) {
            let store = try Store(options)
            var words = ["ok"]
            if access(folder + "/files", F_OK) == 0 { words += try Self.resumed(in: folder, store) }
            store.close()
            let report = try verifyFolder(folder) { rows, note throws(StoreError) in
                try Self.readContents(in: folder, rows) { note(.content, $0) }
            }
            guard let first = report.findings.first else { return words.joined(separator: " ") }
            return "\(report.findings.count) findings, the first: \(first)"
        } catch {
            return "cannot be opened: \(error)"
        }
    }

    /// Goes on with every upload that is not over. What the rows say of it must be on the disk.
    private static func resumed(in folder: String, _ store: Store) throws(StoreError) -> [String] {
        var query = TransferQuery()
        query.direction = .upload
        query.limit = Self.maximumUploads
        let transfers = try store.readAndWait { [query] transaction throws(StoreError) in
            try transaction.files.transfers(query)
        }
        do throws(FileStoreError) {
            let provider = try ObjectFolder(folder + "/files")
            var words: [String] = []
            for transfer in transfers {
                let offset = try provider.resumeUpload(transfer.key)?.offset ?? 0
                guard offset >= transfer.offset else {
                    throw .io(
                        action: "go on with \(transfer.key.text) at \(transfer.offset): it is at \(offset)", errno: 0)
                }
                words.append("\(transfer.file.text)=\(offset)")
            }
            return words
        } catch {
            throw .fatal("uploads: \(error)")
        }
    }

    /// Reads and checks every content that has a row, whatever state the row says.
    private static func readContents(
        in folder: String, _ rows: ReadTransaction, _ note: (String) -> Void
    ) throws(StoreError) {
        var last: ContentHash?
        while true {
            let page = try rows.files.allObjects(after: last, limit: 256)
            guard let end = page.last else { return }
            do throws(FileStoreError) {
                let provider = try ObjectFolder(folder + "/files")
                for record in page {
                    if record.state != .ready { note("the content \(record.object.hash) is \(record.state)") }
                    try provider.check(record.object) { _ in true }
                }
            } catch {
                note(error.description)
            }
            last = end.object.hash
        }
    }
}
