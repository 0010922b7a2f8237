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

    package init(
        id: Int64, user: UserName, device: DeviceClass, level: DeviceLevel, deviceID: String, protocolName: String,
        address: String, isEncrypted: Bool, openedAtMilliseconds: Int64
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
    }
}
