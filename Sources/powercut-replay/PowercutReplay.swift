import Glibc
import Store

/// Opens one data folder after the other exactly as a starting server does, and verifies it.
///
/// Reads the path of a folder per line from standard input and answers each with a line: `ok`, or what is wrong.
/// `Tests/Crash/powercut.py` feeds it the disks that power cuts leave behind.
@main
enum PowercutReplay {
    static func main() {
        while let folder = readLine() {
            print(Self.complaint(about: folder) ?? "ok")
            fflush(nil)
        }
    }

    private static func complaint(about folder: String) -> String? {
        var options = StoreOptions(folder: folder)
        options.ballastBytes = 0
        options.stopWritingFreeBytes = 0
        do throws(StoreError) {
            let store = try Store(options)
            store.close()
            let report = try verifyFolder(folder)
            return report.findings.first.map { "\(report.findings.count) findings, the first: \($0)" }
        } catch {
            return "cannot be opened: \(error)"
        }
    }
}
