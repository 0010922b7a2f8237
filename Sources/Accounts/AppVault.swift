/// The id and keys of the app, opened.
struct AppVault {
    /// A key, and the one before it as long as that counts.
    struct Slot {
        var current: String
        var previous: (key: String, untilMilliseconds: Int64)?

        func keys(at now: Int64) -> [String] {
            guard let previous, now < previous.untilMilliseconds else { return [self.current] }
            return [self.current, previous.key]
        }

        /// `nil` for none that counts.
        func previousUntil(at now: Int64) -> Int64? {
            self.previous.flatMap { now < $0.untilMilliseconds ? $0.untilMilliseconds : nil }
        }
    }

    /// Key that seals the app's keys in the store.
    let sealingKey: [UInt8]
    var appID: String
    var appKey: Slot
    var masterKey: Slot

    func keys(at now: Int64) -> ApplicationKeys {
        ApplicationKeys(appID: self.appID, appKeys: self.appKey.keys(at: now), masterKeys: self.masterKey.keys(at: now))
    }
}

/// Kind of an app's key.
package enum AppKeyKind: String, Hashable, Sendable, CaseIterable {
    /// Is in every client.
    case appKey = "app-key"
    /// Only the app's own server has it.
    case masterKey = "master-key"
}

/// The app as its operator sees it. Its keys have no printable form.
package struct AppDescription: Sendable, CustomStringConvertible, CustomReflectable {
    /// ID of the app.
    package let appID: String
    /// Key that the app's clients are built with.
    package let appKey: String
    /// Key of the app's own servers; it may do everything.
    package let masterKey: String
    /// Until when the key before counts too, UTC milliseconds; `nil` when it does not.
    package let previousAppKeyUntilMilliseconds: Int64?
    /// Time until which the former master key is accepted too, UTC milliseconds; `nil` without one.
    package let previousMasterKeyUntilMilliseconds: Int64?

    package var description: String { "(the app \(self.appID))" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
