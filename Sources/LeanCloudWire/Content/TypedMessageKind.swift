/// Kind of a typed message: the number in its `_lctype`.
///
/// Below 0 the SDKs' own, 0 reserved, above 0 the app's. A number without a name here is kept.
package struct TypedMessageKind: Hashable, Sendable, RawRepresentable {
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    package static let text = Self(rawValue: -1)
    package static let image = Self(rawValue: -2)
    package static let audio = Self(rawValue: -3)
    package static let video = Self(rawValue: -4)
    package static let location = Self(rawValue: -5)
    package static let file = Self(rawValue: -6)
    /// Read receipt in a group; sent by a plug-in of two SDKs, as a transient message.
    package static let groupReceipt = Self(rawValue: -101)
    /// Placeholder for a message that its sender recalled.
    package static let recalled = Self(rawValue: -127)

    /// True when the app gave the number its meaning.
    package var isCustom: Bool { self.rawValue > 0 }
}
