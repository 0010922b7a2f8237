/// Operation of a command, or its outcome, within a `CommandType`.
package struct OpType: ProtobufNumber {
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    // MARK: Sessions; members and queries of conversations use them too

    package static let open = Self(rawValue: 1)
    package static let add = Self(rawValue: 2)
    package static let remove = Self(rawValue: 3)
    package static let close = Self(rawValue: 4)
    package static let opened = Self(rawValue: 5)
    package static let closed = Self(rawValue: 6)
    package static let query = Self(rawValue: 7)
    package static let queryResult = Self(rawValue: 8)
    package static let conflict = Self(rawValue: 9)
    package static let added = Self(rawValue: 10)
    package static let removed = Self(rawValue: 11)
    package static let refresh = Self(rawValue: 12)
    package static let refreshed = Self(rawValue: 13)

    // MARK: Conversations

    package static let start = Self(rawValue: 30)
    package static let started = Self(rawValue: 31)
    package static let joined = Self(rawValue: 32)
    package static let membersJoined = Self(rawValue: 33)
    package static let left = Self(rawValue: 39)
    package static let membersLeft = Self(rawValue: 40)
    package static let results = Self(rawValue: 42)
    package static let count = Self(rawValue: 43)
    package static let result = Self(rawValue: 44)
    package static let update = Self(rawValue: 45)
    package static let updated = Self(rawValue: 46)
    package static let mute = Self(rawValue: 47)
    package static let unmute = Self(rawValue: 48)
    package static let status = Self(rawValue: 49)
    package static let members = Self(rawValue: 50)
    package static let maxRead = Self(rawValue: 51)
    package static let isMember = Self(rawValue: 52)
    package static let memberInfoUpdate = Self(rawValue: 53)
    package static let memberInfoUpdated = Self(rawValue: 54)
    package static let memberInfoChanged = Self(rawValue: 55)
    package static let expire = Self(rawValue: 56)

    // MARK: Rooms

    package static let join = Self(rawValue: 80)
    package static let invite = Self(rawValue: 81)
    package static let leave = Self(rawValue: 82)
    package static let kick = Self(rawValue: 83)
    package static let reject = Self(rawValue: 84)
    package static let invited = Self(rawValue: 85)
    package static let kicked = Self(rawValue: 86)

    // MARK: Reports

    package static let upload = Self(rawValue: 100)
    package static let uploaded = Self(rawValue: 101)

    // MARK: Topics

    package static let subscribe = Self(rawValue: 120)
    package static let subscribed = Self(rawValue: 121)
    package static let unsubscribe = Self(rawValue: 122)
    package static let unsubscribed = Self(rawValue: 123)
    package static let isSubscribed = Self(rawValue: 124)

    // MARK: Patches

    package static let modify = Self(rawValue: 150)
    package static let modified = Self(rawValue: 151)

    // MARK: Blacklists

    package static let block = Self(rawValue: 170)
    package static let unblock = Self(rawValue: 171)
    package static let blocked = Self(rawValue: 172)
    package static let unblocked = Self(rawValue: 173)
    package static let membersBlocked = Self(rawValue: 174)
    package static let membersUnblocked = Self(rawValue: 175)
    package static let checkBlock = Self(rawValue: 176)
    package static let checkResult = Self(rawValue: 177)

    // MARK: Muted members

    package static let addShutup = Self(rawValue: 180)
    package static let removeShutup = Self(rawValue: 181)
    package static let queryShutup = Self(rawValue: 182)
    package static let shutupAdded = Self(rawValue: 183)
    package static let shutupRemoved = Self(rawValue: 184)
    package static let shutupResult = Self(rawValue: 185)
    package static let shutuped = Self(rawValue: 186)
    package static let unshutuped = Self(rawValue: 187)
    package static let membersShutuped = Self(rawValue: 188)
    package static let membersUnshutuped = Self(rawValue: 189)
    package static let checkShutup = Self(rawValue: 190)
}
