/// A device connects for offline pushes.
package struct LoginCommand: ProtobufMessage {
    /// Description of the device.
    package var systemInfo: SystemInfo?

    package init() {}

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        try fields.optional(1, "systemInfo", &self.systemInfo)
    }
}

/// The answer to a login.
package struct LoggedinCommand: ProtobufMessage {
    /// True when the device may drop a connection without sessions.
    package var pushDisabled: Bool?

    package init() {}

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        try fields.optional(1, "pushDisabled", &self.pushDisabled)
    }
}

/// Description of a device.
package struct SystemInfo: ProtobufMessage {
    /// Kind of device.
    package var deviceType: DeviceType?
    /// Version of the operating system.
    package var osVersion: SemanticVersion?
    /// Version of Android.
    package var androidVersion: AndroidVersion?
    /// True for an emulator.
    package var isEmulator: Bool?

    package init() {}

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        try fields.optional(1, "deviceType", &self.deviceType)
        try fields.optional(2, "osVersion", &self.osVersion)
        try fields.optional(3, "androidVersion", &self.androidVersion)
        try fields.optional(4, "isEmulator", &self.isEmulator)
    }
}

/// A version in its parts.
package struct SemanticVersion: ProtobufMessage {
    /// Major number.
    package var major: Int32?
    /// Minor number.
    package var minor: Int32?
    /// Patch number.
    package var patch: Int32?
    /// Pre-release label.
    package var preRelease: String?
    /// Build label.
    package var build: String?

    package init() {}

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        try fields.optional(1, "major", &self.major)
        try fields.optional(2, "minor", &self.minor)
        try fields.optional(3, "patch", &self.patch)
        try fields.optional(4, "preRelease", &self.preRelease)
        try fields.optional(5, "build", &self.build)
    }
}

/// A version of Android.
package struct AndroidVersion: ProtobufMessage {
    /// Code name of the release.
    package var codename: String?
    /// API level.
    package var apiLevel: String?

    package init() {}

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        try fields.optional(1, "codename", &self.codename)
        try fields.optional(2, "apiLevel", &self.apiLevel)
    }
}
