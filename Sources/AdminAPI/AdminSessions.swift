package import ChatModel

/// A signed-in device.
package struct AdminSession: AdminRecord {
    /// ID of the session.
    package var id: Int64
    /// Name of the user.
    package var user: UserName
    /// Name that people see of the user; `nil` for none.
    package var displayName: String?
    /// Class of the device.
    package var device: DeviceClass
    /// Level of the device: primary or secondary.
    package var level: DeviceLevel
    /// ID of the device.
    package var deviceID: String
    /// Name of the protocol: `wukong-json`, for example.
    package var protocolName: String
    /// Address of the device.
    package var address: String
    /// True when the connection is encrypted.
    package var isEncrypted: Bool
    /// Time at which the session began, UTC milliseconds.
    package var openedAtMilliseconds: Int64
    /// Time of the last bytes from the device, UTC milliseconds. This and the fields below are set in lists of
    /// sessions, and `nil` where a session is only mentioned.
    package var activeAtMilliseconds: Int64?
    /// Bytes that wait to be sent to the device.
    package var queuedBytes: Int64?
    /// Messages sent to the device and not acknowledged yet, stored ones only.
    package var unacknowledged: Int64?
    /// Tag of the session, which only one device of a user holds at a time; `nil` for none.
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
        self.displayName = try fields("displayName", \.displayName)
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
