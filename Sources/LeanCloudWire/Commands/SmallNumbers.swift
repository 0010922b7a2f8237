/// Presence of a client.
package struct StatusType: ProtobufNumber {
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    package static let on = Self(rawValue: 1)
    package static let off = Self(rawValue: 2)
}

/// The system of a device.
package struct DeviceType: ProtobufNumber {
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    package static let unknown = Self(rawValue: 0)
    package static let android = Self(rawValue: 1)
    package static let ios = Self(rawValue: 2)
}

/// Direction of a page of history.
package struct QueryDirection: ProtobufNumber {
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    package static let old = Self(rawValue: 1)
    package static let new = Self(rawValue: 2)
}
