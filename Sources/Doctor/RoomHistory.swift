import CLinux
import Glibc

/// Free bytes of the disk with the data folder over the last month, a sample an hour: a small file in the folder, for a
/// forecast. It is a hint: a folder that cannot be written to has none, and what cannot be read is left out.
package struct RoomHistory: Hashable, Sendable {
    /// One look at the disk.
    package struct Sample: Hashable, Sendable {
        /// UTC milliseconds.
        package var atMilliseconds: Int64
        /// Free bytes.
        package var freeBytes: Int64

        package init(atMilliseconds: Int64, freeBytes: Int64) {
            self.atMilliseconds = atMilliseconds
            self.freeBytes = freeBytes
        }
    }

    /// Samples that are kept: a month of hours.
    static let maximumSamples = 720

    /// Samples, the oldest first.
    package private(set) var samples: [Sample]

    package init(samples: [Sample] = []) { self.samples = samples.suffix(Self.maximumSamples) }

    private static func path(in folder: String) -> String { "\(folder)/room-history" }

    /// Reads the history of a data folder; empty when there is none.
    package static func read(in folder: String) -> RoomHistory {
        let descriptor = clinux_open(Self.path(in: folder), O_RDONLY | O_NOFOLLOW | O_CLOEXEC, 0)
        guard descriptor >= 0 else { return RoomHistory() }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 64 * 1_024)
        var filled = 0
        while filled < bytes.count {
            let count = bytes.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress! + filled, $0.count - filled)
            }
            if count <= 0 { break }
            filled += count
        }
        let lines = String(decoding: bytes[..<filled], as: UTF8.self).split(separator: "\n")
        let samples = lines.compactMap { line -> Sample? in
            let words = line.split(separator: " ")
            guard words.count == 2, let at = Int64(words[0]), let free = Int64(words[1]), free >= 0 else { return nil }
            return Sample(atMilliseconds: at, freeBytes: free)
        }
        return RoomHistory(samples: samples.sorted { $0.atMilliseconds < $1.atMilliseconds })
    }

    /// Looks at the disk and adds a sample. What is later than now was written by a wrong clock, and goes. Blocks.
    ///
    /// - Returns: whether the file has it.
    @discardableResult
    package static func noteRoom(in folder: String, wall: Int64) -> Bool {
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else { return false }
        let free = Int64(clamping: UInt64(status.f_bavail) &* UInt64(status.f_frsize))
        let kept = Self.read(in: folder).samples.filter { $0.atMilliseconds < wall }
        let history = RoomHistory(samples: kept + [Sample(atMilliseconds: wall, freeBytes: free)])
        return history.write(in: folder)
    }

    private func write(in folder: String) -> Bool {
        let text = self.samples.map { "\($0.atMilliseconds) \($0.freeBytes)\n" }.joined()
        let draft = Self.path(in: folder) + ".new"
        unlink(draft)
        let descriptor = clinux_open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        let bytes = Array(text.utf8)
        let isWritten = Glibc.write(descriptor, bytes, bytes.count) == bytes.count
        close(descriptor)
        guard isWritten, rename(draft, Self.path(in: folder)) == 0 else {
            unlink(draft)
            return false
        }
        return true
    }

    /// Bytes that go in a day: the slope of the line that fits the samples of two weeks best.
    ///
    /// - Returns: `nil` when they span less than a day, or are fewer than twelve; negative while room comes back.
    func bytesPerDay(at wall: Int64) -> Double? {
        let recent = self.samples.filter { $0.atMilliseconds > wall - 14 * 86_400_000 && $0.atMilliseconds <= wall }
        guard let first = recent.first, let last = recent.last, recent.count >= 12,
            last.atMilliseconds - first.atMilliseconds >= 86_400_000
        else { return nil }
        let days = recent.map { Double($0.atMilliseconds - first.atMilliseconds) / 86_400_000 }
        let free = recent.map { Double($0.freeBytes) }
        let (middle, mean) = (days.reduce(0, +) / Double(days.count), free.reduce(0, +) / Double(free.count))
        var (above, below) = (0.0, 0.0)
        for (day, bytes) in zip(days, free) {
            above += (day - middle) * (bytes - mean)
            below += (day - middle) * (day - middle)
        }
        return below > 0 ? -above / below : nil
    }
}
