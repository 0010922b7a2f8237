package import ChatModel

/// One signed-in device, from its sign-in to its end. Never reused while the server runs.
package struct SessionID: Hashable, Sendable {
    package var rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// A session as an operator sees it.
package struct SessionDescription: Hashable, Sendable {
    package var id: SessionID
    package var user: UserID
    package var userName: UserName
    package var deviceClass: DeviceClass
    package var deviceLevel: DeviceLevel
    /// What the device calls itself; at most 128 bytes.
    package var deviceID: String
    /// The door it came through, for example `wukong-json`.
    package var protocolName: String
    /// Address and port of the other side, as text.
    package var address: String
    package var isEncrypted: Bool
    package var openedAtMilliseconds: Int64
    /// Of the sessions of a person with one tag the newest claim stays; `nil` for any number beside each other.
    package var tag: SessionTag?
    /// The device came back by itself after its connection had broken, where its protocol says so.
    package var isReconnect: Bool
    /// Whether `BrokerLimits.refusalsBeforeClose` ends it; else its door holds it back.
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
    package var name: String
    /// From `WriteTransaction.claimTag`: later claims are larger.
    package var claim: Int64

    package init(name: String, claim: Int64) {
        self.name = name
        self.claim = claim
    }
}

/// What the door of a session knows of it at one moment.
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

/// What a door asks for when its authenticator has let someone in.
package struct SessionOpening: Sendable {
    package var description: SessionDescription
    package var outlet: any Outlet
    /// The door's own mark for the connection; unique among the sessions of the server.
    package var handle: UInt64

    /// - Parameter description: its `id` and `openedAtMilliseconds` are filled in by the broker.
    package init(description: SessionDescription, outlet: any Outlet, handle: UInt64) {
        self.description = description
        self.outlet = outlet
        self.handle = handle
    }
}
