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

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.id = try fields("id", \.id)
        self.user = try fields("user", \.user)
        self.device = try fields("device", \.device)
        self.level = try fields("level", \.level)
        self.deviceID = try fields("deviceID", \.deviceID)
        self.protocolName = try fields("protocol", \.protocolName)
        self.address = try fields("address", \.address)
        self.isEncrypted = try fields("encrypted", \.isEncrypted)
        self.openedAtMilliseconds = try fields("openedAt", \.openedAtMilliseconds)
        self.activeAtMilliseconds = try fields("activeAt", \.activeAtMilliseconds)
        self.queuedBytes = try fields("queuedBytes", \.queuedBytes)
        self.unacknowledged = try fields("unacknowledged", \.unacknowledged)
        self.tag = try fields("tag", \.tag)
    }
}
