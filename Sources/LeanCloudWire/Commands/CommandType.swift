/// Subject of a command.
package struct CommandType: ProtobufNumber {
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    package static let session = Self(rawValue: 0)
    package static let conv = Self(rawValue: 1)
    package static let direct = Self(rawValue: 2)
    package static let ack = Self(rawValue: 3)
    package static let rcp = Self(rawValue: 4)
    package static let unread = Self(rawValue: 5)
    package static let logs = Self(rawValue: 6)
    package static let error = Self(rawValue: 7)
    package static let login = Self(rawValue: 8)
    package static let data = Self(rawValue: 9)
    package static let room = Self(rawValue: 10)
    package static let read = Self(rawValue: 11)
    package static let presence = Self(rawValue: 12)
    package static let report = Self(rawValue: 13)
    package static let echo = Self(rawValue: 14)
    package static let loggedin = Self(rawValue: 15)
    package static let logout = Self(rawValue: 16)
    package static let loggedout = Self(rawValue: 17)
    package static let patch = Self(rawValue: 18)
    package static let pubsub = Self(rawValue: 19)
    package static let blacklist = Self(rawValue: 20)
    package static let goaway = Self(rawValue: 21)
}
