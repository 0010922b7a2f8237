import Diagnostics
import Execution
import FileStore

/// Room for uploads on the disk. Any thread that may block.
final class UploadRoom: Sendable {
    private static let lookMilliseconds: Int64 = 1_000

    private struct State {
        var lookedAt: Instant?
        var hasRoom = true
    }

    private let state = Lock(State())
    private let provider: any FileProvider
    private let options: TransferOptions
    private let clock: Clock
    private let log: Log

    init(_ provider: any FileProvider, _ options: TransferOptions, clock: Clock, log: Log) {
        self.provider = provider
        self.options = options
        self.clock = clock
        self.log = log
    }

    /// Result of the last look at the disk.
    var isFull: Bool { self.state.withLock { !$0.hasRoom } }

    /// Looks at most once a second.
    func hasRoom() -> Bool {
        let now = self.clock.now()
        let known: Bool? = self.state.withLock { state in
            guard let last = state.lookedAt, now.milliseconds(since: last) < Self.lookMilliseconds else {
                // Only one thread looks.
                state.lookedAt = now
                return nil
            }
            return state.hasRoom
        }
        if let known { return known }
        // Where the system does not say how much is free, a full disk shows itself by a failing write.
        let room = self.provider.room()
        let hasRoom = room.map(self.isEnough) ?? true
        let changed = self.state.withLock { state in
            defer { state.hasRoom = hasRoom }
            return state.hasRoom != hasRoom
        }
        if changed { self.tellOperator(hasRoom, room) }
        return hasRoom
    }

    private func isEnough(_ room: DiskRoom) -> Bool { room.freeBytes >= self.stopsBelow(room) }

    /// With less than so many bytes free uploads are refused.
    func stopsBelow(_ room: DiskRoom) -> Int64 {
        max(self.options.stopUploadsFreeBytes, room.totalBytes / 100 * self.options.stopUploadsFreePercent)
    }

    private func tellOperator(_ hasRoom: Bool, _ room: DiskRoom?) {
        let free = LogValue.bytes(room?.freeBytes ?? 0)
        if hasRoom { return self.log.info("files_have_room", ["free": free]) }
        self.log.error(
            "files_full",
            ["free": free, "help": .text("uploads are refused, downloads work; free some room and uploads go on")])
    }
}
