/// A device connects for offline pushes.
package struct LoginCommand: ProtobufMessage {
    package var systemInfo: SystemInfo?

    package init() {}

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        try fields.optional(1, "systemInfo", &self.systemInfo)
    }
}

/// The answer to a login.
package struct LoggedinCommand: ProtobufMessage {
    /// Whether the device may drop a connection without sessions.
    package var pushDisabled: Bool?

    package init() {}

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        try fields.optional(1, "pushDisabled", &self.pushDisabled)
    }
}

/// What a device is.
package struct SystemInfo: ProtobufMessage {
    package var deviceType: DeviceType?
    package var osVersion: SemanticVersion?
    package var androidVersion: AndroidVersion?
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
    package var major: Int32?
    package var minor: Int32?
    package var patch: Int32?
    package var preRelease: String?
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
    package var codename: String?
    package var apiLevel: String?

    package init() {}

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        try fields.optional(1, "codename", &self.codename)
        try fields.optional(2, "apiLevel", &self.apiLevel)
    }
}
