import Testing

@testable import LeanCloudWire

/// Notes which fields a message has.
struct SchemaVisitor: FieldVisitor {
    typealias Failure = Never

    private(set) var fields: [(number: Int, name: String, type: String)] = []

    mutating func visit<Message: ProtobufMessage>(_ type: Message.Type) {
        var message = Message()
        message.visit(&self)
    }

    mutating func optional<Value: ProtobufValue>(_ number: Int, _ name: String, _ value: inout Value?) {
        self.fields.append((number, name, Self.name(Value.self)))
    }

    mutating func optional<Message: ProtobufMessage>(_ number: Int, _ name: String, _ box: inout Boxed<Message>) {
        self.fields.append((number, name, Self.name(Message.self)))
    }

    mutating func required<Value: ProtobufValue>(_ number: Int, _ name: String, _ value: inout Value) {
        self.fields.append((number, name, Self.name(Value.self) + "!"))
    }

    mutating func repeated<Value: ProtobufValue>(_ number: Int, _ name: String, _ values: inout [Value]) {
        self.fields.append((number, name, Self.name(Value.self) + "*"))
    }

    private static func name<Value: ProtobufValue>(_ type: Value.Type) -> String {
        switch type {
        case is Int32.Type: "int32"
        case is Int64.Type, is ConfigBitmap.Type: "int64"
        case is Bool.Type: "bool"
        case is String.Type: "string"
        case is [UInt8].Type: "bytes"
        default: "\(type)"
        }
    }
}

struct SchemaTests {
    /// Each message with its fields: number, name, type; `*` repeated, `!` required.
    ///
    /// Source: schema `push_server.messages2` as the JavaScript, Swift and C# SDKs carry it.
    static let schema = """
        GenericCommand: 1 cmd CommandType, 2 op OpType, 3 appId string, 4 peerId string, 5 i int32, 6 installationId
          string, 7 priority int32, 8 service int32, 9 serverTs int64, 10 clientTs int64, 11 notificationType int32, 100
          loginMessage LoginCommand, 101 dataMessage DataCommand, 102 sessionMessage SessionCommand, 103 errorMessage
          ErrorCommand, 104 directMessage DirectCommand, 105 ackMessage AckCommand, 106 unreadMessage UnreadCommand, 107
          readMessage ReadCommand, 108 rcpMessage RcpCommand, 109 logsMessage LogsCommand, 110 convMessage ConvCommand,
          111 roomMessage RoomCommand, 112 presenceMessage PresenceCommand, 113 reportMessage ReportCommand, 114
          patchMessage PatchCommand, 115 pubsubMessage PubsubCommand, 116 blacklistMessage BlacklistCommand, 117
          loggedinMessage LoggedinCommand
        SessionCommand: 1 t int64, 2 n string, 3 s string, 4 ua string, 5 r bool, 6 tag string, 7 deviceId string, 8
          sessionPeerIds string*, 9 onlineSessionPeerIds string*, 10 st string, 11 stTtl int32, 12 code int32, 13 reason
          string, 14 deviceToken string, 15 sp bool, 16 detail string, 17 lastUnreadNotifTime int64, 18 lastPatchTime
          int64, 19 configBitmap int64, 20 systemInfo SystemInfo
        DirectCommand: 1 msg string, 2 uid string, 3 fromPeerId string, 4 timestamp int64, 5 offline bool, 6 hasMore
          bool, 7 toPeerIds string*, 10 r bool, 11 cid string, 12 id string, 13 transient bool, 14 dt string, 15 roomId
          string, 16 pushData string, 17 will bool, 18 patchTimestamp int64, 19 binaryMsg bytes, 20 mentionPids string*,
          21 mentionAll bool, 22 convType int32
        ConvCommand: 1 m string*, 2 transient bool, 3 unique bool, 4 cid string, 5 cdate string, 6 initBy string, 7 sort
          string, 8 limit int32, 9 skip int32, 10 flag int32, 11 count int32, 12 udate string, 13 t int64, 14 n string,
          15 s string, 16 statusSub bool, 17 statusPub bool, 18 statusTTL int32, 19 uniqueId string, 20 targetClientId
          string, 21 maxReadTimestamp int64, 22 maxAckTimestamp int64, 23 queryAllMembers bool, 24 maxReadTuples
          MaxReadTuple*, 25 cids string*, 26 info ConvMemberInfo, 27 tempConv bool, 28 tempConvTTL int32, 29 tempConvIds
          string*, 30 allowedPids string*, 31 failedPids ErrorCommand*, 32 existing bool, 40 next string, 100 results
          JsonObjectMessage, 101 where JsonObjectMessage, 103 attr JsonObjectMessage, 104 attrModified JsonObjectMessage
        UnreadCommand: 1 convs UnreadTuple*, 2 notifTime int64
        UnreadTuple: 1 cid string!, 2 unread int32!, 3 mid string, 4 timestamp int64, 5 from string, 6 data string, 7
          patchTimestamp int64, 8 mentioned bool, 9 binaryMsg bytes, 10 convType int32
        ReadCommand: 1 cid string, 2 cids string*, 3 convs ReadTuple*
        ReadTuple: 1 cid string!, 2 timestamp int64, 3 mid string
        MaxReadTuple: 1 pid string, 2 maxAckTimestamp int64, 3 maxReadTimestamp int64
        LogsCommand: 1 cid string, 2 l int32, 3 limit int32, 4 t int64, 5 tt int64, 6 tmid string, 7 mid string, 8
          checksum string, 9 stored bool, 10 direction QueryDirection, 11 tIncluded bool, 12 ttIncluded bool, 13 lctype
          int32, 105 logs LogItem*
        LogItem: 1 from string, 2 data string, 3 timestamp int64, 4 msgId string, 5 ackAt int64, 6 readAt int64, 7
          patchTimestamp int64, 8 mentionAll bool, 9 mentionPids string*, 10 bin bool, 11 convType int32
        JsonObjectMessage: 1 data string!
        ConvMemberInfo: 1 pid string, 2 role string, 3 infoId string
        PatchCommand: 1 patches PatchItem*, 2 lastPatchTime int64
        PatchItem: 1 cid string, 2 mid string, 3 timestamp int64, 4 recall bool, 5 data bytes, 6 patchTimestamp int64,
          7 from string, 8 binaryMsg bytes, 9 mentionAll bool, 10 mentionPids string*, 11 patchCode int64, 12
          patchReason string
        DataCommand: 1 ids string*, 2 msg JsonObjectMessage*, 3 offline bool
        PresenceCommand: 1 status StatusType, 2 sessionPeerIds string*, 3 cid string
        ReportCommand: 1 initiative bool, 2 type string, 3 data string
        RoomCommand: 1 roomId string, 2 s string, 3 t int64, 4 n string, 5 transient bool, 6 roomPeerIds string*, 7
          byPeerId string
        PubsubCommand: 1 cid string, 2 cids string*, 3 topic string, 4 subtopic string, 5 topics string*, 6 subtopics
          string*, 7 results JsonObjectMessage
        LoginCommand: 1 systemInfo SystemInfo
        LoggedinCommand: 1 pushDisabled bool
        SystemInfo: 1 deviceType DeviceType, 2 osVersion SemanticVersion, 3 androidVersion AndroidVersion, 4 isEmulator
          bool
        SemanticVersion: 1 major int32, 2 minor int32, 3 patch int32, 4 preRelease string, 5 build string
        AndroidVersion: 1 codename string, 2 apiLevel string
        ErrorCommand: 1 code int32!, 2 reason string!, 3 appCode int32, 4 detail string, 5 pids string*, 6 appMsg string
        AckCommand: 1 code int32, 2 reason string, 3 mid string, 4 cid string, 5 t int64, 6 uid string, 7 fromts int64,
          8 tots int64, 9 type string, 10 ids string*, 11 appCode int32, 12 appMsg string
        RcpCommand: 1 id string, 2 cid string, 3 t int64, 4 read bool, 5 from string
        BlacklistCommand: 1 srcCid string, 2 toPids string*, 3 srcPid string, 4 toCids string*, 5 limit int32, 6 next
          string, 8 blockedPids string*, 9 blockedCids string*, 10 allowedPids string*, 11 failedPids ErrorCommand*, 12
          t int64, 13 n string, 14 s string
        """

    /// The lines of the schema by message; a line that begins with blanks goes on with the one before.
    static let messages: [String: [String]] = {
        var messages: [String: [String]] = [:]
        for line in Self.schema.replacing("\n  ", with: " ").split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 1)
            messages[String(parts[0])] = parts[1].split(separator: ",").map {
                $0.split(separator: " ").joined(separator: " ")
            }
        }
        return messages
    }()

    @Test("every message of the schema has its fields, with numbers, names and types")
    func fields() {
        #expect(messageTypes.count == Self.messages.count)
        for type in messageTypes {
            var visitor = SchemaVisitor()
            visitor.visit(type)
            let fields = visitor.fields.map { "\($0.number) \($0.name) \($0.type)" }
            #expect(fields == Self.messages["\(type)"], "\(type)")
        }
    }
}
