package import ChatModel

/// One signed-in device, from its sign-in to its end. Never reused while the server runs.
package struct SessionID: Hashable, Sendable {
    package var rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// A session as an operator sees it.
package struct SessionDescription: Hashable, Sendable {
    /// Identifies the session.
    package var id: SessionID
    /// Person who is signed in.
    package var user: UserID
    /// Name of the person.
    package var userName: UserName
    /// Class of the device.
    package var deviceClass: DeviceClass
    /// Level of the device: primary or secondary.
    package var deviceLevel: DeviceLevel
    /// Identifier that the device gives itself; at most 128 bytes.
    package var deviceID: String
    /// The gateway it came through, for example `wukong-json`.
    package var protocolName: String
    /// Address and port of the other side, as text.
    package var address: String
    /// True when the connection carries TLS.
    package var isEncrypted: Bool
    /// Time of the sign-in, UTC milliseconds.
    package var openedAtMilliseconds: Int64
    /// Tag: of a person's sessions with one tag the newest claim stays; `nil` for any number beside each other.
    package var tag: SessionTag?
    /// The device came back by itself after its connection had broken, where its protocol says so.
    package var isReconnect: Bool
    /// True when `BrokerLimits.refusalsBeforeClose` ends the session; else its gateway holds it back.
    package var endsAfterRefusals: Bool

    package init(
        id: SessionID, user: UserID, userName: UserName, deviceClass: DeviceClass, deviceLevel: DeviceLevel,
        deviceID: String, protocolName: String, address: String, isEncrypted: Bool, openedAtMilliseconds: Int64,
        tag: SessionTag? = nil, isReconnect: Bool = false, endsAfterRefusals: Bool = true
    ) {
        self.id = id
        self.user = user
        self.userName = userName
        self.deviceClass = deviceClass
        self.deviceLevel = deviceLevel
        self.deviceID = deviceID
        self.protocolName = protocolName
        self.address = address
        self.isEncrypted = isEncrypted
        self.openedAtMilliseconds = openedAtMilliseconds
        self.tag = tag
        self.isReconnect = isReconnect
        self.endsAfterRefusals = endsAfterRefusals
    }
}

/// A word that one device of a person holds at a time. Source: LeanCloud realtime guide, single sign-on.
package struct SessionTag: Hashable, Sendable {
    /// Name of the tag.
    package var name: String
    /// From `WriteTransaction.claimTag`: later claims are larger.
    package var claim: Int64

    package init(name: String, claim: Int64) {
        self.name = name
        self.claim = claim
    }
}

/// Measure of a session by its gateway at one moment.
package struct SessionMeasure: Hashable, Sendable {
    /// When anything last came from the device, UTC milliseconds.
    package var activeAtMilliseconds: Int64
    /// Bytes that wait to be sent to it.
    package var queuedBytes: Int
    /// Stored messages that it was sent and has not acknowledged.
    package var unacknowledged: Int

    package init(activeAtMilliseconds: Int64, queuedBytes: Int, unacknowledged: Int) {
        self.activeAtMilliseconds = activeAtMilliseconds
        self.queuedBytes = queuedBytes
        self.unacknowledged = unacknowledged
    }
}

/// Why a session ended.
package enum SessionEndReason: Hashable, Sendable {
    case closedByPeer
    /// The person signed off on the device.
    case left
    case idle
    /// Another device of the same class signed in and the class allows one.
    case takenOver
    /// The same device signed in again.
    case sameDevice
    case kickedByOperator(String)
    /// The token was revoked or replaced.
    case signedOut
    case disabled
    /// Too many refused messages within a minute.
    case tooManyRequests
    /// The device did not read what it was sent.
    case stalled
    case serverStopping
    case failed(String)

    /// One word for logs and tables.
    package var name: String {
        switch self {
        case .closedByPeer: "closed-by-peer"
        case .left: "left"
        case .idle: "idle"
        case .takenOver: "taken-over"
        case .sameDevice: "same-device"
        case .kickedByOperator: "kicked"
        case .signedOut: "signed-out"
        case .disabled: "disabled"
        case .tooManyRequests: "too-many-requests"
        case .stalled: "stalled"
        case .serverStopping: "server-stopping"
        case .failed: "failed"
        }
    }
}

/// Request of a gateway to open a session, after its authenticator has accepted the person.
package struct SessionOpening: Sendable {
    /// Description of the session to open.
    package var description: SessionDescription
    /// Receives the session's events.
    package var outlet: any Outlet
    /// The gateway's own mark for the connection; unique among the sessions of the server.
    package var handle: UInt64

    /// - Parameter description: its `id` and `openedAtMilliseconds` are filled in by the broker.
    package init(description: SessionDescription, outlet: any Outlet, handle: UInt64) {
        self.description = description
        self.outlet = outlet
        self.handle = handle
    }
}
