package import ChatModel

/// Which sessions are meant: those for which everything that is set holds. At least one thing is set.
package struct AdminSessionFilter: AdminRecord {
    package var user: UserName?
    package var device: DeviceClass?
    /// `wukong-json`, for example.
    package var protocolName: String?
    /// How the address begins: `192.168.3.`, for example.
    package var address: String?
    /// Opened before then, UTC milliseconds.
    package var openedBeforeMilliseconds: Int64?
    package var isEncrypted: Bool?

    package init(
        user: UserName? = nil, device: DeviceClass? = nil, protocolName: String? = nil, address: String? = nil,
        openedBeforeMilliseconds: Int64? = nil, isEncrypted: Bool? = nil
    ) {
        self.user = user
        self.device = device
        self.protocolName = protocolName
        self.address = address
        self.openedBeforeMilliseconds = openedBeforeMilliseconds
        self.isEncrypted = isEncrypted
    }

    /// Nothing is set: every session would be meant.
    package var isEmpty: Bool { self == AdminSessionFilter() }

    package func matches(_ session: AdminSession) -> Bool {
        if let user = self.user, session.user != user { return false }
        if let device = self.device, session.device != device { return false }
        if let name = self.protocolName, session.protocolName != name { return false }
        if let address = self.address, !session.address.hasPrefix(address) { return false }
        if let moment = self.openedBeforeMilliseconds, session.openedAtMilliseconds >= moment { return false }
        if let isEncrypted = self.isEncrypted, session.isEncrypted != isEncrypted { return false }
        return true
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.user = try fields("user", \.user)
        self.device = try fields("device", \.device)
        self.protocolName = try fields("protocol", \.protocolName)
        self.address = try fields("address", \.address)
        self.openedBeforeMilliseconds = try fields("openedBefore", \.openedBeforeMilliseconds)
        self.isEncrypted = try fields("encrypted", \.isEncrypted)
    }

    /// - Throws: `invalid` when a filter that was read means every session.
    func checked<Record>(_ fields: AdminFields<Record>) throws(AdminError) -> AdminSessionFilter {
        try fields.check(
            !self.isEmpty, AdminError(.invalid, "say which sessions: an empty filter would mean all of them"))
        return self
    }

    /// `nil` where options cannot say it: a time, which operators write in their own time zone, encrypted sessions, and
    /// all of one person, which is another request.
    func command(isDryRun: Bool) -> [String]? {
        let isOnlyPerson = self == AdminSessionFilter(user: self.user) && !isDryRun
        guard self.openedBeforeMilliseconds == nil && self.isEncrypted != true && !isOnlyPerson else { return nil }
        return ctl(
            "session kick", .option("user", self.user?.text), .option("device", self.device?.name),
            .option("protocol", self.protocolName), .option("address", self.address),
            .flag("plain", self.isEncrypted == false), .flag("dry-run", isDryRun))
    }
}
