import ChatModel
import Execution

/// Group of transfers that share a bandwidth cap.
struct BandwidthLane: Hashable, Sendable {
    var transferClass: TransferClass
    var direction: TransferDirection
}

/// A token bucket: bytes come in at a rate, and whoever takes more than there are leaves a debt that the next one waits
/// for, so that pieces need not be cut to size.
struct TokenBucket {
    /// The share of a second's bytes that may be saved up.
    private static let burstSeconds = 0.25
    let bytesPerSecond: Int64
    private var bytes: Double
    private var filledAt: Instant

    init(bytesPerSecond: Int64, at now: Instant) {
        self.bytesPerSecond = bytesPerSecond
        self.bytes = Double(bytesPerSecond) * Self.burstSeconds
        self.filledAt = now
    }

    private mutating func fill(at now: Instant) {
        let seconds = Double(max(0, now.nanoseconds - self.filledAt.nanoseconds)) / 1e9
        let most = Double(self.bytesPerSecond) * Self.burstSeconds
        self.bytes = min(most, self.bytes + seconds * Double(self.bytesPerSecond))
        self.filledAt = now
    }

    /// Takes `count` bytes when there is no debt.
    mutating func takeBytes(_ count: Int, at now: Instant) -> Bool {
        self.fill(at: now)
        guard self.bytes > 0 else { return false }
        self.bytes -= Double(count)
        return true
    }

    /// Takes bytes that came already.
    mutating func charge(_ count: Int, at now: Instant) {
        self.fill(at: now)
        self.bytes -= Double(count)
    }

    /// When the debt is paid.
    var payableAt: Instant {
        guard self.bytes <= 0 else { return self.filledAt }
        // One byte more, so that there is something at that time.
        return self.filledAt.advanced(bySeconds: (1 - self.bytes) / Double(self.bytesPerSecond))
    }
}

/// The bandwidth caps, and who waits for them, first come first served. Any thread.
final class BandwidthLanes: Sendable {
    typealias Grant = @Sendable () -> Void

    private struct Lane {
        var bucket: TokenBucket
        var waiting: [(bytes: Int, then: Grant)] = []
    }

    /// Most pieces within a second of a capped lane, so that a low cap does not come in jerks.
    private static let piecesPerSecond: Int64 = 8
    private static let smallestPiece: Int64 = 4 * 1024

    private let lanes: Lock<[BandwidthLane: Lane]>
    private let clock: Clock
    private let wake: @Sendable () -> Void

    /// - Parameter wake: called when somebody began to wait: `release` wants to be called at `nextDue`.
    init(_ caps: [TransferClass: BandwidthCap], clock: Clock, wake: @escaping @Sendable () -> Void) {
        var lanes: [BandwidthLane: Lane] = [:]
        for (transferClass, cap) in caps {
            for direction in TransferDirection.allCases where cap.bytesPerSecond(direction) > 0 {
                let bucket = TokenBucket(bytesPerSecond: cap.bytesPerSecond(direction), at: clock.now())
                lanes[BandwidthLane(transferClass: transferClass, direction: direction)] = Lane(bucket: bucket)
            }
        }
        self.lanes = Lock(lanes)
        self.clock = clock
        self.wake = wake
    }

    /// The most bytes to ask for at once; `nil` without a cap: then nothing has to be asked.
    func piece(of lane: BandwidthLane) -> Int? {
        self.lanes.withLock { lanes in
            guard let rate = lanes[lane]?.bucket.bytesPerSecond else { return nil }
            return Int(clamping: max(Self.smallestPiece, rate / Self.piecesPerSecond))
        }
    }

    /// - Returns: true when the bytes may go at once; otherwise `then` is called when it is their turn.
    func ask(_ lane: BandwidthLane, _ bytes: Int, then: @escaping Grant) -> Bool {
        let now = self.clock.now()
        let isGranted = self.lanes.withLock { lanes in
            guard lanes[lane] != nil else { return true }
            if lanes[lane]!.waiting.isEmpty && lanes[lane]!.bucket.takeBytes(bytes, at: now) { return true }
            lanes[lane]!.waiting.append((bytes, then))
            return false
        }
        if !isGranted { self.wake() }
        return isGranted
    }

    /// Takes bytes that came already and are not sent back.
    func charge(_ lane: BandwidthLane, _ bytes: Int) {
        let now = self.clock.now()
        self.lanes.withLock { $0[lane]?.bucket.charge(bytes, at: now) }
    }

    /// Lets go on whose turn it is.
    func release() {
        let now = self.clock.now()
        let granted = self.lanes.withLock { lanes in
            var granted: [Grant] = []
            for lane in lanes.keys {
                while let first = lanes[lane]!.waiting.first, lanes[lane]!.bucket.takeBytes(first.bytes, at: now) {
                    granted.append(first.then)
                    lanes[lane]!.waiting.removeFirst()
                }
            }
            return granted
        }
        for grant in granted { grant() }
    }

    /// When somebody's turn comes; `nil` while nobody waits.
    var nextDue: Instant? {
        self.lanes.withLock { lanes in
            lanes.values.compactMap { $0.waiting.isEmpty ? nil : $0.bucket.payableAt }.min()
        }
    }
}
