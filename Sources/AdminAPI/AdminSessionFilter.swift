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

    func write(to fields: inout FieldWriter) {
        fields.text("user", self.user?.text)
        fields.text("device", self.device?.name)
        fields.text("protocol", self.protocolName)
        fields.text("address", self.address)
        fields.number("openedBefore", self.openedBeforeMilliseconds)
        if let isEncrypted = self.isEncrypted { fields.flag("encrypted", isEncrypted) }
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.user = try fields.optionalUserName("user")
        self.device = try fields.optionalDevice("device")
        self.protocolName = try fields.optionalText("protocol")
        self.address = try fields.optionalText("address")
        self.openedBeforeMilliseconds = try fields.optionalNumber("openedBefore")
        self.isEncrypted = try fields.has("encrypted") ? fields.flag("encrypted") : nil
    }
}
