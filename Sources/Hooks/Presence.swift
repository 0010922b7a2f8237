import Broker
import ChatModel
import Execution

/// People who are online, kept from the broker's events, and the changes to report. Written on the broker's thread,
/// read on others.
final class Presence: Sendable {
    /// Most lines that wait to be put into the queue; with more they are dropped and counted.
    static let maximumLines = 100_000
    /// Lines in one event.
    static let linesTogether = 1_000

    private struct Device {
        let id: SessionID
        let deviceClass: DeviceClass
        let isPrimary: Bool
    }

    private struct State {
        var people: [UserID: [Device]] = [:]
        var lines: [String] = []
        var dropped: Int64 = 0
    }

    private let state = Lock(State())
    private let keepsLines: Bool

    /// - Parameter keepsLines: whether anybody is told when somebody comes or goes.
    init(keepsLines: Bool) { self.keepsLines = keepsLines }

    /// Takes in what happened.
    ///
    /// - Returns: how many stored messages there were, and whether lines wait now where none did.
    func noteEvents(_ events: [WatchEvent]) -> (stored: Int, hasFirstLine: Bool) {
        var stored = 0
        var hasFirstLine = false
        for event in events {
            switch event {
            case .accepted(let delivery): if delivery.isStored { stored += 1 }
            case .opened(let session):
                if self.change(session, isOnline: true) { hasFirstLine = true }
            case .ended(let session, _):
                if self.change(session, isOnline: false) { hasFirstLine = true }
            }
        }
        return (stored, hasFirstLine)
    }

    private func change(_ session: SessionDescription, isOnline: Bool) -> Bool {
        self.state.withLock { state in
            var devices = state.people[session.user] ?? []
            devices.removeAll { $0.id == session.id }
            if isOnline {
                devices.append(
                    Device(
                        id: session.id, deviceClass: session.deviceClass, isPrimary: session.deviceLevel == .primary))
            }
            state.people[session.user] = devices.isEmpty ? nil : devices
            guard self.keepsLines else { return false }
            guard state.lines.count < Self.maximumLines else {
                state.dropped += 1
                return false
            }
            let line = OnlineStatusLine(
                user: session.userName, deviceClass: session.deviceClass, isOnline: isOnline, session: session.id,
                devicesOfClass: devices.count { $0.deviceClass == session.deviceClass }, devices: devices.count)
            state.lines.append(line.text)
            return state.lines.count == 1
        }
    }

    /// Members of `users` who have no primary device online.
    func withoutPrimaryDevice(among users: [UserID]) -> [UserID] {
        self.state.withLock { state in
            users.filter { user in !(state.people[user] ?? []).contains { $0.isPrimary } }
        }
    }

    /// The lines that have waited longest, and how many were dropped since the last call.
    func takeLines() -> (lines: [String], dropped: Int64) {
        self.state.withLock { state in
            let lines = Array(state.lines.prefix(Self.linesTogether))
            state.lines.removeFirst(lines.count)
            defer { state.dropped = 0 }
            return (lines, state.dropped)
        }
    }
}
