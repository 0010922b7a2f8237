package import ChatModel

/// A signed-in device.
package struct AdminSession: AdminRecord {
    package var id: Int64
    package var user: UserName
    package var device: DeviceClass
    package var level: DeviceLevel
    package var deviceID: String
    /// `wukong-json`, for example.
    package var protocolName: String
    package var address: String
    package var isEncrypted: Bool
    package var openedAtMilliseconds: Int64
    /// When anything last came from the device, UTC milliseconds. This and what follows is there where sessions are
    /// listed, and `nil` where one is only mentioned.
    package var activeAtMilliseconds: Int64?
    /// Bytes that wait to be sent to the device.
    package var queuedBytes: Int64?
    /// Stored messages that the device was sent and has not acknowledged.
    package var unacknowledged: Int64?
    /// The word that one device of the person holds at a time; `nil` for a device without.
    package var tag: String?

    package init(
        id: Int64, user: UserName, device: DeviceClass, level: DeviceLevel, deviceID: String, protocolName: String,
        address: String, isEncrypted: Bool, openedAtMilliseconds: Int64, activeAtMilliseconds: Int64? = nil,
        queuedBytes: Int64? = nil, unacknowledged: Int64? = nil, tag: String? = nil
    ) {
        self.id = id
        self.user = user
        self.device = device
        self.level = level
        self.deviceID = deviceID
        self.protocolName = protocolName
        self.address = address
        self.isEncrypted = isEncrypted
        self.openedAtMilliseconds = openedAtMilliseconds
        self.activeAtMilliseconds = activeAtMilliseconds
        self.queuedBytes = queuedBytes
        self.unacknowledged = unacknowledged
        self.tag = tag
    }

    func write(to fields: inout FieldWriter) {
        fields.number("id", self.id)
        fields.text("user", self.user.text)
        fields.text("device", self.device.name)
        fields.text("level", Word.of(self.level))
        fields.text("deviceID", self.deviceID)
        fields.text("protocol", self.protocolName)
        fields.text("address", self.address)
        fields.flag("encrypted", self.isEncrypted)
        fields.number("openedAt", self.openedAtMilliseconds)
        fields.number("activeAt", self.activeAtMilliseconds)
        fields.number("queuedBytes", self.queuedBytes)
        fields.number("unacknowledged", self.unacknowledged)
        fields.text("tag", self.tag)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.id = try fields.number("id")
        self.user = try fields.userName("user")
        self.device = try fields.device("device")
        self.level = try Word.level(fields.text("level"))
        self.deviceID = try fields.text("deviceID")
        self.protocolName = try fields.text("protocol")
        self.address = try fields.text("address")
        self.isEncrypted = try fields.flag("encrypted")
        self.openedAtMilliseconds = try fields.number("openedAt")
        self.activeAtMilliseconds = try fields.optionalNumber("activeAt")
        self.queuedBytes = try fields.optionalNumber("queuedBytes")
        self.unacknowledged = try fields.optionalNumber("unacknowledged")
        self.tag = try fields.optionalText("tag")
    }
}
