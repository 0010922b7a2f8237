/// The version of the binary encoding that one session speaks, and what the layouts owe to it.
///
/// A client asks for its newest in CONNECT; the session speaks the lower of that and `latest`. Version 1 has the
/// layouts of 2, and so has 0, which no SDK sends. Source: WuKongIM v2.2.5 and the encoders of WuKongIMGoProto: 3 adds
/// `expire`, 4 the node in CONNACK, 5 drops the stream fields of SEND and RECV and adds EVENT.
package struct BinaryVersion: Hashable, Sendable, Comparable {
    /// Oldest version that is served.
    package static let oldest = BinaryVersion(2)
    /// Newest version that is served.
    package static let latest = BinaryVersion(5)

    /// 2...5.
    package let number: UInt8

    /// The version that a client which asks for `number` is spoken to in.
    package init(_ number: UInt8) {
        self.number = min(max(number, 2), 5)
    }

    package static func < (left: BinaryVersion, right: BinaryVersion) -> Bool { left.number < right.number }

    /// SEND and RECV carry `expire`.
    var hasExpire: Bool { self.number >= 3 }

    /// CONNACK carries the version, which its flag 0 announces, and the node.
    ///
    /// Without the version the iOS SDK goes back to version 2.
    var connectAcknowledgeHasVersion: Bool { self.number >= 4 }

    /// EVENT may be sent. The Flutter SDK fails on it, and speaks no newer version than 4.
    package var hasEvents: Bool { self.number >= 5 }

    /// SEND and RECV carry stream fields when the setting says so.
    var hasStreamFields: Bool { self.number < 5 }
}
