package import ChatModel

/// Filter of sessions: a session matches when every field that is set does. At least one field is set.
package struct AdminSessionFilter: AdminRecord {
    /// Name of the user.
    package var user: UserName?
    /// Class of the device.
    package var device: DeviceClass?
    /// Name of the protocol: `wukong-json`, for example.
    package var protocolName: String?
    /// Prefix of the address: `192.168.3.`, for example.
    package var address: String?
    /// Time before which the session began, UTC milliseconds.
    package var openedBeforeMilliseconds: Int64?
    /// True for only encrypted sessions, false for only plain ones.
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

    /// True when nothing is set: every session would match.
    package var isEmpty: Bool { self == AdminSessionFilter() }

    /// True when every field that is set fits the session.
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

    /// Command that ends the sessions; `nil` where options cannot say it: a time, which operators write in their own
    /// time zone, encrypted sessions, and all sessions of one user, which is another request.
    func command(isDryRun: Bool) -> [String]? {
        let isOnlyPerson = self == AdminSessionFilter(user: self.user) && !isDryRun
        guard self.openedBeforeMilliseconds == nil && self.isEncrypted != true && !isOnlyPerson else { return nil }
        return ctl(
            "session kick", .option("user", self.user?.text), .option("device", self.device?.name),
            .option("protocol", self.protocolName), .option("address", self.address),
            .flag("plain", self.isEncrypted == false), .flag("dry-run", isDryRun))
    }
}
