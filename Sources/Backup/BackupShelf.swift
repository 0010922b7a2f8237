import Execution
import Glibc

/// Names of backups: `teahouse-20261123T173012Z`, in UTC, so that they sort by time.
enum BackupName {
    static let prefix = "teahouse-"
    private static let partialSuffix = ".partial"

    static func partial(_ name: String) -> String { name + Self.partialSuffix }

    static func isPartial(_ name: String) -> Bool { name.hasPrefix(Self.prefix) && name.hasSuffix(Self.partialSuffix) }

    static func isWhole(_ name: String) -> Bool { name.hasPrefix(Self.prefix) && !name.hasSuffix(Self.partialSuffix) }

    /// A name that is free in a folder.
    static func next(at milliseconds: Int64, in directory: String, prefix: String = Self.prefix) -> String {
        var seconds = time_t(milliseconds / 1000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let day = "\(parts.tm_year + 1900)\(two(parts.tm_mon + 1))\(two(parts.tm_mday))"
        let name = "\(prefix)\(day)T\(two(parts.tm_hour))\(two(parts.tm_min))\(two(parts.tm_sec))Z"
        var (free, number) = (name, 1)
        while access("\(directory)/\(free)", F_OK) == 0 {
            number += 1
            free = "\(name)-\(number)"
        }
        return free
    }
}

/// A folder of backups, as it is on the disk.
package struct BackupShelf {
    private let directory: String

    package init(_ directory: String) { self.directory = directory }

    /// Whole backups, oldest first, with their manifests. What cannot be read is left out.
    package var all: [(path: String, manifest: BackupManifest)] {
        var found: [(path: String, manifest: BackupManifest)] = []
        for name in BackupFiles.names(in: self.directory) where BackupName.isWhole(name) {
            let path = "\(self.directory)/\(name)"
            guard let manifest = try? BackupManifest.read(in: path), manifest.verifiedAtMilliseconds != nil else {
                continue
            }
            found.append((path, manifest))
        }
        return found.sorted { one, other in
            let (first, second) = (one.manifest.facts.atMilliseconds, other.manifest.facts.atMilliseconds)
            return first == second ? one.path < other.path : first < second
        }
    }

    /// Path of the newest; `nil` for none.
    var newest: String? { self.all.last?.path }

    /// Time of the newest, UTC milliseconds; `nil` for none.
    package var newestAtMilliseconds: Int64? { self.all.last?.manifest.facts.atMilliseconds }

    /// - Returns: whether it is none any more.
    static func remove(_ path: String) -> Bool {
        let gone = BackupName.partial(path)
        guard rename(path, gone) == 0 else { return false }
        BackupFiles.removeTree(gone)
        return true
    }
}
