import ChatModel
import Execution

/// A class of a person's devices came online or went, as their friends are told.
struct PresenceChange: Hashable, Sendable {
    var user: UserID
    var name: UserName
    /// 0 app, 1 web, 2 desktop.
    var deviceFlag: Int
    var isOnline: Bool
    /// Device flags that the person is online with now.
    var flagsOnline: Set<Int>
}

/// The device that is shown of a person who has several.
enum ShownDevice {
    /// Source: TangSengDaoDao server, the weights of its device flags: phone, computer, web.
    private static let order = [0, 2, 1]

    /// - Returns: `nil` for nobody.
    static func flag(of flags: some Sequence<Int>) -> Int? {
        let flags = Set(flags)
        return Self.order.first(where: flags.contains)
    }
}

/// Decides what of people's coming and going is told: a change that has held for a while, so that nobody hears of a
/// device that connects again, nor of one that cannot hold its connection. Confined to one thread.
struct PresenceChanges {
    private struct Devices {
        var sessions = 0
        /// Presence that was reported last.
        var isTold = false
        /// Since when it has been as it is now.
        var since: Instant
        var isTimed = false

        var isOnline: Bool { self.sessions > 0 }
    }

    private struct Person {
        let name: UserName
        /// By device flag.
        var devices: [Int: Devices] = [:]
    }

    private let settleMilliseconds: Int64
    private let maximum: Int
    private var people: [UserID: Person] = [:]
    private var timers = TimerQueue<(user: UserID, flag: Int)>()
    /// Changes that nobody is told of, because too many waited.
    private var dropped = 0

    /// - Parameters:
    ///   - settleMilliseconds: how long a change has to hold.
    ///   - maximum: most changes that wait; those above it are told to nobody, and apps learn of them when they ask.
    init(settleMilliseconds: Int64, maximum: Int = 10_000) {
        self.settleMilliseconds = settleMilliseconds
        self.maximum = maximum
    }

    /// How many people are remembered: those who are online, and those whose going is not told yet.
    var count: Int { self.people.count }

    func isOnline(_ user: UserID) -> Bool { self.people[user]?.devices.values.contains { $0.isOnline } ?? false }

    /// How many changes nobody is told of since the last call.
    mutating func takeDropped() -> Int {
        defer { self.dropped = 0 }
        return self.dropped
    }

    func millisecondsUntilNext(from now: Instant) -> Int32? { self.timers.millisecondsUntilNext(from: now) }

    mutating func opened(_ user: UserID, _ name: UserName, flag: Int, at now: Instant) {
        var person = self.people[user] ?? Person(name: name)
        var devices = person.devices[flag] ?? Devices(since: now)
        devices.sessions += 1
        if devices.sessions == 1 { self.turned(&devices, user, flag, at: now) }
        person.devices[flag] = devices
        self.people[user] = person
    }

    mutating func ended(_ user: UserID, flag: Int, at now: Instant) {
        guard var devices = self.people[user]?.devices[flag], devices.isOnline else { return }
        devices.sessions -= 1
        if !devices.isOnline { self.turned(&devices, user, flag, at: now) }
        self.people[user]?.devices[flag] = devices
        self.forgetIfAbsent(user, flag)
    }

    /// The class is online and was not, or the other way round.
    private mutating func turned(_ devices: inout Devices, _ user: UserID, _ flag: Int, at now: Instant) {
        devices.since = now
        guard devices.isOnline != devices.isTold, !devices.isTimed else { return }
        guard self.timers.count < self.maximum else {
            self.dropped += 1
            devices.isTold = devices.isOnline
            return
        }
        devices.isTimed = true
        self.timers.add((user, flag), due: now.advanced(byMilliseconds: self.settleMilliseconds))
    }

    /// The next change that has held long enough.
    mutating func takeDue(at now: Instant) -> PresenceChange? {
        while let (user, flag) = self.timers.popDue(at: now) {
            guard let person = self.people[user], var devices = person.devices[flag] else { continue }
            devices.isTimed = false
            let settled = devices.since.advanced(byMilliseconds: self.settleMilliseconds)
            let isNews = devices.isOnline != devices.isTold
            if isNews, settled > now {
                devices.isTimed = true
                self.timers.add((user, flag), due: settled)
            } else if isNews {
                devices.isTold = devices.isOnline
            }
            self.people[user]?.devices[flag] = devices
            self.forgetIfAbsent(user, flag)
            guard isNews, settled <= now else { continue }
            return PresenceChange(
                user: user, name: person.name, deviceFlag: flag, isOnline: devices.isOnline,
                flagsOnline: Set(person.devices.filter { $0.value.isOnline }.keys))
        }
        return nil
    }

    private mutating func forgetIfAbsent(_ user: UserID, _ flag: Int) {
        guard let devices = self.people[user]?.devices[flag], !devices.isOnline, !devices.isTold, !devices.isTimed
        else { return }
        self.people[user]?.devices[flag] = nil
        if self.people[user]?.devices.isEmpty == true { self.people[user] = nil }
    }
}
