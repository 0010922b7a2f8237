import ChatModel
import Execution
import LeanCloudWire
import Store
import TeahouseTesting
import Testing

struct MessagesTests {
    private static let base64 = LeanCloudSubprotocol(.base64, .countsMissedMessages)

    @Test("a message is acknowledged without a code and reaches the others in every encoding, its bytes as they were")
    func sends() throws {
        let server = try TestServer()
        let cid = try server.groupID("verona", ["romeo", "juliet", "tybalt"])
        let romeo = try server.leanCloud("romeo")
        let tablet = try server.leanCloud("romeo")
        let juliet = try server.leanCloud("juliet")
        let tybalt = try server.leanCloud("tybalt", Self.base64)
        for text in ["", "a", "ab", "abc", "{\"_lctype\":-1, \"_lctext\":\"\u{8336} & tea\"}"] {
            let ack = try romeo.say(text, in: cid)
            #expect(ack.code == nil && ack.reason == nil)
            #expect(ack.cid == cid)
            #expect(ack.uid?.utf8.count == 22)
            for receiver in [tablet, juliet, tybalt] {
                let command = try receiver.wait(.direct)
                #expect(command.service == 2)
                #expect(command.i == nil)
                let message = try #require(command.directMessage)
                #expect(message.msg == text)
                #expect(message.id == ack.uid)
                #expect(message.timestamp == ack.t)
                #expect(message.fromPeerId == "romeo")
                #expect(message.cid == cid)
                #expect(message.convType == 1)
                #expect(message.transient == nil)
            }
        }
        #expect(try romeo.messagesWaiting().isEmpty)
    }

    @Test("each of several clients on one connection is told whom a message is for")
    func sharedConnection() throws {
        let server = try TestServer()
        let cid = try server.directID("romeo", "juliet")
        let romeo = try server.leanCloud("romeo")
        let both = try server.leanCloud("juliet")
        try both.open("tybalt", token: try server.token("tybalt", .app))
        try romeo.say("hello", in: cid)
        #expect(try both.wait(.direct).peerId == "juliet")
    }

    @Test("a request's number may be negative or 0; without one there is no answer", arguments: [Int32(-65_536), 0, 7])
    func numbers(number: Int32) throws {
        let server = try TestServer()
        let cid = try server.directID("romeo", "juliet")
        let romeo = try server.leanCloud("romeo")
        let juliet = try server.leanCloud("juliet")
        var command = GenericCommand()
        command.cmd = .direct
        var direct = DirectCommand()
        direct.cid = cid
        direct.msg = "one"
        command.directMessage = direct
        try romeo.send(command)
        #expect(try juliet.nextMessage().msg == "one")
        command.i = number
        command.directMessage?.msg = "two"
        try romeo.send(command)
        #expect(try romeo.wait(.ack).i == number)
        try romeo.settle()
        #expect(romeo.waiting.isEmpty)
    }

    @Test("who is no member is refused in the acknowledgement, and so is what leads nowhere")
    func refusals() throws {
        let server = try TestServer()
        let cid = try server.groupID("verona", ["romeo", "juliet"])
        try server.add("paris")
        let paris = try server.leanCloud("paris")
        for target in [cid, "5f0000000000000000000000", "nowhere"] {
            let ack = try paris.say("hello", in: target)
            #expect(ack.code == 4401)
            #expect(ack.reason == "INVALID_MESSAGING_TARGET")
            #expect(ack.uid == nil)
        }
    }

    @Test("the same token gets the first answer, also on another connection, and nobody gets the message twice")
    func resend() throws {
        let server = try TestServer()
        let cid = try server.directID("romeo", "juliet")
        let juliet = try server.leanCloud("juliet")
        let first = try server.leanCloud("romeo")
        let ack = try first.say("hello", in: cid) { $0.dt = "token-1" }
        first.drop()
        let second = try server.leanCloud("romeo")
        let again = try second.say("hello", in: cid) { $0.dt = "token-1" }
        #expect(again.uid == ack.uid)
        #expect(again.t == ack.t)
        #expect(again.code == nil)
        try second.say("other", in: cid) { $0.dt = "token-2" }
        #expect(try juliet.nextMessage().msg == "hello")
        #expect(try juliet.nextMessage().msg == "other")
    }

    @Test("a transient message reaches who is there and is not kept")
    func transient() throws {
        let server = try TestServer()
        let cid = try server.directID("romeo", "juliet")
        let romeo = try server.leanCloud("romeo")
        let juliet = try server.leanCloud("juliet")
        let ack = try romeo.say("typing", in: cid) { $0.transient = true }
        #expect(ack.code == nil && ack.uid != nil && ack.t != nil)
        let message = try juliet.nextMessage()
        #expect(message.transient == true)
        #expect(message.id == ack.uid)
        #expect(try romeo.history(cid).isEmpty)
    }

    @Test("binary content goes as bytes, and as base64 in the history")
    func binary() throws {
        let server = try TestServer()
        let cid = try server.directID("romeo", "juliet")
        let romeo = try server.leanCloud("romeo")
        let juliet = try server.leanCloud("juliet")
        let content: [UInt8] = [0xFF, 0x00, 0xFE, 0x41]
        try romeo.say("", in: cid) { direct in
            direct.msg = nil
            direct.binaryMsg = content
        }
        let message = try juliet.nextMessage()
        #expect(message.binaryMsg == content)
        #expect(message.msg == nil)
        let item = try #require(try juliet.history(cid).first)
        #expect(item.bin == true)
        #expect(item.data == "/wD+QQ==")
    }

    @Test("who is called by name is told so, live, in the history and when they come back")
    func mentions() throws {
        let server = try TestServer()
        let cid = try server.groupID("verona", ["romeo", "juliet", "tybalt"])
        let romeo = try server.leanCloud("romeo")
        let tybalt = try server.leanCloud("tybalt")
        try romeo.say(typed("you"), in: cid) { $0.mentionPids = ["juliet"] }
        let message = try tybalt.nextMessage()
        #expect(message.mentionPids == ["juliet"])
        #expect(message.mentionAll != true)
        #expect(try romeo.history(cid).first?.mentionPids == ["juliet"])
        let juliet = try server.leanCloud("juliet")
        let state = try #require(try juliet.wait(.unread).unreadMessage?.convs.first)
        #expect(state.mentioned == true)
        #expect(state.unread == 1)
        try juliet.read(cid)
        #expect(try juliet.wait(.unread).unreadMessage?.convs.first?.unread == 0)
        try romeo.say(typed("not you"), in: cid)
        let again = try server.leanCloud("juliet")
        #expect(try again.wait(.unread).unreadMessage?.convs.first?.mentioned != true)
    }

    @Test("the last will is told when the connection breaks, under the id it was promised, and is not kept")
    func will() throws {
        let server = try TestServer()
        let cid = try server.directID("romeo", "juliet")
        let juliet = try server.leanCloud("juliet")
        let romeo = try server.leanCloud("romeo")
        let first = try romeo.say("first", in: cid) { $0.will = true }
        let ack = try romeo.say("gone", in: cid) { $0.will = true }
        #expect(ack.code == nil && ack.uid != first.uid)
        romeo.drop()
        let message = try juliet.nextMessage()
        #expect(message.msg == "gone")
        #expect(message.id == ack.uid)
        #expect(try juliet.history(cid).isEmpty)
    }

    @Test("in a room everybody else gets a message once, who is not in it may speak, and nobody hears themselves")
    func room() throws {
        let server = try TestServer()
        try server.add("romeo", "juliet", "paris")
        let (romeo, juliet) = (try server.id("romeo"), try server.id("juliet"))
        let cid = try server.write { transaction throws(StoreError) in
            let id = try transaction.conversations.createChannel(
                .room, ChannelName("ball")!, title: nil, creator: romeo)
            _ = try transaction.conversations.addListeners([romeo, juliet], to: id)
            return try transaction.reading.conversations.one(id)?.objectID.text ?? ""
        }
        let first = try server.leanCloud("romeo")
        let second = try server.leanCloud("romeo")
        let other = try server.leanCloud("juliet")
        let ack = try first.say("dance", in: cid, priority: 3)
        #expect(ack.code == nil)
        let message = try other.nextMessage()
        #expect(message.id == ack.uid)
        #expect(message.convType == 2)
        let guest = try server.leanCloud("paris")
        #expect(try guest.say("may I", in: cid).code == nil)
        #expect(try other.nextMessage().msg == "may I")
        #expect(try first.nextMessage().msg == "may I")
        #expect(try second.messagesWaiting().map(\.msg) == ["may I"])
        #expect(try first.messagesWaiting().isEmpty)
    }

    @Test("what the word list has changed is told to who said it, in a message and in an edit")
    func censorship() throws {
        let server = try TestServer()
        let cid = try server.directID("romeo", "juliet")
        try server.write { transaction throws(StoreError) in
            _ = try transaction.moderation.addWordRules([WordRule("damn", .mask), WordRule("gambling", .refuse)])
        }
        try server.restart()
        let romeo = try server.leanCloud("romeo")
        let juliet = try server.leanCloud("juliet")
        let ack = try romeo.say(typed("damn tea"), in: cid)
        #expect(ack.code == nil)
        #expect(try juliet.nextMessage().msg == typed("**** tea"))
        let told = try romeo.nextPatch()
        #expect(told.mid == ack.uid)
        #expect(told.data == typed("**** tea"))
        #expect(told.patchCode == -4408)
        #expect(told.patchReason == "MESSAGE_MODIFIED_BY_CENSORSHIP")
        #expect(try romeo.say(typed("gambling"), in: cid).code == 4402)
        #expect(try romeo.change(cid, ack.uid, at: ack.t) { $0.data = typed("damn") }.op == .modified)
        #expect(try juliet.nextPatch().data == typed("****"))
        #expect(try romeo.nextPatch().patchCode == -4408)
        #expect(
            try romeo.change(cid, ack.uid, at: ack.t) { $0.data = typed("gambling") }.errorMessage?.code == 4405)
    }

    // MARK: Receipts and reading

    @Test("the first acknowledgement and reading are told to who asked", arguments: [true, false])
    func receipts(namesMessage: Bool) throws {
        let server = try TestServer()
        let cid = try server.directID("romeo", "juliet")
        let romeo = try server.leanCloud("romeo")
        let juliet = try server.leanCloud("juliet")
        try romeo.say(typed("silent"), in: cid)
        let ack = try romeo.say(typed("asked"), in: cid) { $0.r = true }
        _ = try juliet.nextMessage()
        let message = try juliet.nextMessage()
        try juliet.acknowledge { command in
            command.cid = cid
            if namesMessage {
                command.mid = message.id
            } else {
                command.fromts = message.timestamp
                command.tots = message.timestamp
            }
        }
        let delivered = try #require(try romeo.wait(.rcp).rcpMessage)
        #expect(delivered.id == ack.uid)
        #expect(delivered.cid == cid)
        #expect(delivered.from == "juliet")
        #expect(delivered.read == nil)
        try juliet.read(cid, mid: message.id, timestamp: message.timestamp)
        let read = try #require(try romeo.wait(.rcp).rcpMessage)
        #expect(read.id == ack.uid)
        #expect(read.read == true)
        let items = try romeo.history(cid)
        #expect(items.allSatisfy { $0.ackAt != nil && $0.readAt != nil })
    }

    @Test("reading is told to all devices of the person, who read included, also when there was nothing to read")
    func reading() throws {
        let server = try TestServer()
        let cid = try server.directID("romeo", "juliet")
        let romeo = try server.leanCloud("romeo")
        let phone = try server.leanCloud("juliet")
        let tablet = try server.leanCloud("juliet")
        try romeo.say("hello", in: cid)
        _ = try phone.nextMessage()
        _ = try tablet.nextMessage()
        try phone.read(cid)
        for device in [phone, tablet] {
            let command = try device.wait(.unread)
            #expect(command.unreadMessage?.notifTime != nil)
            #expect(command.unreadMessage?.convs.first?.cid == cid)
            #expect(command.unreadMessage?.convs.first?.unread == 0)
        }
        try phone.read(cid, number: 99)
        #expect(try phone.wait(.unread).unreadMessage?.convs.first?.unread == 0)
        try phone.settle()
        #expect(phone.waiting.isEmpty, "a number gets no answer")
    }

    @Test("unread messages are told at the opening, also after a restart, and what was read meanwhile as 0")
    func unread() throws {
        let server = try TestServer()
        let cid = try server.directID("romeo", "juliet")
        do {
            let romeo = try server.leanCloud("romeo")
            for number in 1...3 { try romeo.say(typed("\(number)"), in: cid) }
        }
        try server.restart()
        let phone = try server.leanCloud("juliet")
        let command = try phone.wait(.unread)
        let told = try #require(command.unreadMessage?.convs.first)
        #expect(told.cid == cid)
        #expect(told.unread == 3)
        #expect(told.data == typed("3"))
        #expect(told.from == "romeo")
        #expect(told.convType == 1)
        #expect(try phone.history(cid) { $0.limit = told.unread }.map(\.data) == (1...3).map { typed("\($0)") })
        let time = try #require(command.unreadMessage?.notifTime)
        phone.drop()
        let tablet = try server.leanCloud("juliet")
        try tablet.read(cid, mid: told.mid, timestamp: told.timestamp)
        _ = try tablet.wait("the reading") { $0.unreadMessage?.convs.first?.unread == 0 }
        let again = try server.leanCloud("juliet") { $0.lastUnreadNotifTime = time }
        #expect(try again.wait(.unread).unreadMessage?.convs.first?.unread == 0)
        let fresh = try server.leanCloud("juliet")
        try fresh.settle()
        #expect(fresh.waiting.isEmpty)
    }

    @Test("the older version of the protocol gets what was missed as messages, in order, until it says it has them")
    func backlog() throws {
        let server = try TestServer()
        let cid = try server.directID("romeo", "juliet")
        let romeo = try server.leanCloud("romeo")
        for number in 1...22 { try romeo.say("\(number)", in: cid) }
        let pushes = LeanCloudSubprotocol(.binary, .pushesMissedMessages)
        let first = try server.leanCloud("juliet", pushes)
        var messages = try (0..<20).map { _ in try first.nextMessage() }
        #expect(messages.map(\.msg) == (3...22).map { "\($0)" })
        #expect(messages.allSatisfy { $0.offline == true && $0.hasMore == true })
        try first.settle()
        #expect(first.waiting.isEmpty)
        first.drop()
        let second = try server.leanCloud("juliet", pushes)
        messages = try (0..<20).map { _ in try second.nextMessage() }
        #expect(messages.last?.msg == "22", "nobody said that it arrived")
        try second.acknowledge { command in
            command.cid = cid
            command.mid = messages.last?.id
        }
        try server.waitForAcknowledged("juliet", in: cid, upTo: 22)
        let third = try server.leanCloud("juliet", pushes)
        try romeo.say("23", in: cid)
        #expect(try third.nextMessage().msg == "23", "the others were acknowledged")
    }

    @Test("an acknowledgement counts for its conversation and what was said there before, whatever came between")
    func acknowledgements() throws {
        let server = try TestServer()
        let (one, other) = (try server.directID("romeo", "juliet"), try server.directID("mercutio", "juliet"))
        let (romeo, mercutio) = (try server.leanCloud("romeo"), try server.leanCloud("mercutio"))
        let pushes = LeanCloudSubprotocol(.binary, .pushesMissedMessages)
        let juliet = try server.leanCloud("juliet", pushes)
        for number in 1...3 {
            try romeo.say("romeo \(number)", in: one)
            try mercutio.say("mercutio \(number)", in: other)
        }
        let messages = try (0..<6).map { _ in try juliet.nextMessage() }
        #expect(messages.map(\.msg).last == "mercutio 3")
        // Where it was not said a message counts for nothing, and what came before another one is no news.
        for (cid, message) in [(other, messages[4]), (one, messages[2]), (one, messages[0]), (other, messages[5])] {
            try juliet.acknowledge { command in
                command.cid = cid
                command.mid = message.id
            }
        }
        try server.waitForAcknowledged("juliet", in: other, upTo: 3)
        juliet.drop()
        let again = try server.leanCloud("juliet", pushes)
        #expect(try again.nextMessage().msg == "romeo 3")
        #expect(try again.messagesWaiting().isEmpty)
    }

    // MARK: History

    @Test("the history is told in ascending order, whatever the direction, up to its bounds")
    func history() throws {
        let server = try TestServer()
        let cid = try server.directID("romeo", "juliet")
        let romeo = try server.leanCloud("romeo")
        let acks = try (1...25).map { try romeo.say($0 % 5 == 0 ? "raw \($0)" : typed("\($0)"), in: cid) }
        func numbers(_ fill: (inout LogsCommand) -> Void) throws -> [Int] {
            try romeo.history(cid, fill).map { item in
                try #require(acks.firstIndex { $0.uid == item.msgId }) + 1
            }
        }
        #expect(try numbers { _ in } == Array(6...25))
        #expect(try numbers { $0.limit = 0 }.isEmpty)
        #expect(try numbers { $0.l = 3 } == [23, 24, 25])
        func start(_ number: Int, _ logs: inout LogsCommand) {
            logs.mid = acks[number - 1].uid
            logs.t = acks[number - 1].t
            logs.limit = 3
        }
        #expect(try numbers { start(10, &$0) } == [7, 8, 9])
        #expect(
            try numbers {
                start(10, &$0)
                $0.tIncluded = true
            } == [8, 9, 10])
        #expect(
            try numbers {
                start(10, &$0)
                $0.direction = .new
            } == [11, 12, 13])
        #expect(
            try numbers {
                start(10, &$0)
                $0.limit = 100
                $0.direction = .new
                $0.tmid = acks[13].uid
                $0.tt = acks[13].t
                $0.ttIncluded = true
            } == [11, 12, 13, 14])
        #expect(
            try numbers {
                start(10, &$0)
                $0.lctype = 0
            } == [7, 8, 9], "0 is no filter")
        #expect(try numbers { $0.lctype = -2 }.isEmpty)
        #expect(
            try numbers {
                $0.lctype = -1
                $0.limit = 4
            } == [21, 22, 23, 24])
        #expect(try numbers { $0.t = 1 }.isEmpty, "before everything")
        let paris = try server.leanCloud("paris")
        let answer = try paris.request(.logs) { command in
            var logs = LogsCommand()
            logs.cid = cid
            command.logsMessage = logs
        }
        #expect(answer.errorMessage?.code == 4312)
    }

    @Test("iterators that stop at a page shorter than their limit come to the first message, however long messages are")
    func longHistory() throws {
        let server = try TestServer()
        let id = try server.group("verona", ["romeo", "juliet"])
        let cid = try server.server.store.readAndWait { transaction throws(StoreError) in
            try transaction.conversations.one(id)?.objectID.text ?? ""
        }
        try server.fill(id, by: "romeo", count: 110, bytes: 30_000)
        let juliet = try server.leanCloud("juliet")
        var pages: [Int] = []
        var first: LogItem?
        // Source: js-realtime-sdk, ConversationBase.createMessagesIterator: done is `value.length < limit`.
        while pages.last ?? 100 == 100 {
            let answer = try juliet.request(.logs) { command in
                var logs = LogsCommand()
                logs.cid = cid
                logs.limit = 100
                logs.mid = first?.msgId
                logs.t = first?.timestamp
                command.logsMessage = logs
            }
            let found = answer.logsMessage?.logs ?? []
            pages.append(found.count)
            first = found.first
        }
        #expect(pages == [100, 10])
    }

    // MARK: Changing

    @Test(
        "an edit and a recall are told to the others and the own other device, stand in the history, and are caught up")
    func changes() throws {
        let server = try TestServer()
        let cid = try server.directID("romeo", "juliet")
        let romeo = try server.leanCloud("romeo")
        let tablet = try server.leanCloud("romeo")
        let juliet = try server.leanCloud("juliet")
        let kept = try romeo.say(typed("one"), in: cid)
        let taken = try romeo.say(typed("two"), in: cid)
        let edited = try romeo.change(cid, kept.uid, at: kept.t) { $0.data = typed("eins") }
        #expect(edited.cmd == .patch && edited.op == .modified)
        #expect(edited.patchMessage?.lastPatchTime != nil)
        for device in [tablet, juliet] {
            let item = try device.nextPatch()
            #expect(item.cid == cid)
            #expect(item.mid == kept.uid)
            #expect(item.timestamp == kept.t)
            #expect(item.from == "romeo")
            #expect(item.data == typed("eins"))
            #expect(item.recall != true)
            #expect(item.patchTimestamp != nil)
        }
        // The C# SDK sends no content with a recall.
        #expect(try romeo.change(cid, taken.uid, at: taken.t) { $0.recall = true }.op == .modified)
        for device in [tablet, juliet] {
            let item = try device.nextPatch()
            #expect(item.mid == taken.uid)
            #expect(item.recall == true)
            #expect(item.data == #"{"_lctype":-127}"#)
        }
        // Once more, because the answers were lost: taken, and nobody is told again.
        let again = try romeo.change(cid, taken.uid, at: taken.t) { $0.recall = true }
        #expect(again.op == .modified && again.patchMessage?.lastPatchTime != nil)
        let same = try romeo.change(cid, kept.uid, at: kept.t) { $0.data = typed("eins") }
        #expect(same.op == .modified)
        for device in [tablet, juliet] {
            try device.settle()
            #expect(!device.waiting.contains { $0.cmd == .patch })
        }
        let items = try juliet.history(cid)
        #expect(items.map(\.data) == [typed("eins"), #"{"_lctype":-127}"#])
        #expect(items.allSatisfy { $0.patchTimestamp != nil })
        #expect(try juliet.history(cid) { $0.lctype = -127 }.map(\.msgId) == [taken.uid])
        let later = try server.leanCloud("juliet") { $0.lastPatchTime = (kept.t ?? 0) - 1 }
        let missed = try later.wait("the patches") { $0.cmd == .patch && $0.op == .modify }
        #expect(missed.patchMessage?.patches.map(\.mid) == [kept.uid, taken.uid])
        #expect(missed.patchMessage?.lastPatchTime != nil)
        try romeo.settle()
        #expect(romeo.waiting.isEmpty, "who asked has its answer")
    }

    @Test("messages of others and those that are not there cannot be changed")
    func foreignChanges() throws {
        let server = try TestServer()
        let cid = try server.directID("romeo", "juliet")
        let romeo = try server.leanCloud("romeo")
        let juliet = try server.leanCloud("juliet")
        let ack = try romeo.say(typed("mine"), in: cid)
        let foreign = try juliet.change(cid, ack.uid, at: ack.t) { $0.recall = true }
        #expect(foreign.errorMessage?.code == 4403)
        #expect(foreign.errorMessage?.reason == "MESSAGE_OWNERSHIP_REQUIRED")
        let absent = try romeo.change(cid, "AAAAAAAAAAAAAAAAAAAAAA", at: 1) { $0.data = "x" }
        #expect(absent.errorMessage?.code == 4404)
        #expect(try romeo.change(cid, ack.uid, at: ack.t) { $0.recall = true }.op == .modified)
        #expect(try romeo.change(cid, ack.uid, at: ack.t) { $0.data = "x" }.errorMessage?.code == 4404)
    }

    @Test("where the operator bounds editing and recalling, each is refused by a code of its own")
    func windows() throws {
        let clock = ManualClock()
        let server = try TestServer {
            $0.clock = clock.clock
            $0.store.clock = clock.clock
            $0.store.rules.editInDirect = .never
            $0.store.rules.recallInDirect = .seconds(60)
        }
        let cid = try server.directID("romeo", "juliet")
        let romeo = try server.leanCloud("romeo")
        let acks = try (0..<2).map { _ in try romeo.say(typed("hello"), in: cid) }
        let edit = try romeo.change(cid, acks[0].uid, at: acks[0].t) { $0.data = typed("hallo") }
        #expect(LeanCloudClient.error(edit) == "4406 MESSAGE_EDIT_DISABLED")
        #expect(try romeo.change(cid, acks[0].uid, at: acks[0].t) { $0.recall = true }.op == .modified)
        clock.advance(milliseconds: 61_000)
        let late = try romeo.change(cid, acks[1].uid, at: acks[1].t) { $0.recall = true }
        #expect(LeanCloudClient.error(late) == "4407 MESSAGE_RECALL_DISABLED")
        // A server that stops waits for its clients, by a clock that stands still here.
        romeo.drop()
        server.stop()
    }

    @Test(
        "a binary edit is taken from its field, and from the text field where the Java SDK puts it",
        arguments: [true, false])
    func binaryEdit(isMisplaced: Bool) throws {
        let server = try TestServer()
        let cid = try server.directID("romeo", "juliet")
        let romeo = try server.leanCloud("romeo")
        let juliet = try server.leanCloud("juliet")
        let ack = try romeo.say("text", in: cid)
        let bytes: [UInt8] = [0xC3, 0x28, 0x00]
        let answer = try romeo.change(cid, ack.uid, at: ack.t) { item in
            if isMisplaced { item.content = bytes } else { item.binaryMsg = bytes }
        }
        #expect(answer.op == .modified)
        #expect(try juliet.nextPatch().binaryMsg == bytes)
        #expect(try juliet.history(cid).first?.bin == true)
    }

    // MARK: Two protocols

    @Test("a WuKongIM client and a LeanCloud client talk in one conversation, edit and recall")
    func twoProtocols() throws {
        let server = try TestServer()
        let cid = try server.directID("romeo", "juliet")
        let romeo = try server.leanCloud("romeo")
        let juliet = try server.connect("juliet")
        let ack = try romeo.say(typed("hello"), in: cid) { $0.r = true }
        let received = try juliet.receive()
        #expect(received.text == "hello")
        #expect(received.from == "romeo")
        #expect(received.channel == "romeo")
        let sent = try juliet.publish("hi", to: "romeo")
        #expect(sent.reason == 1)
        let message = try romeo.wait("the answer") { $0.directMessage?.fromPeerId == "juliet" }.directMessage
        #expect(message?.msg == typed("hi"))
        #expect(message?.cid == cid)
        let picture =
            #"{"_lctype":-2,"_lctext":"us","_lcfile":{"url":"http://x/a.png","metaData":{"width":3,"height":4}}}"#
        try romeo.say(picture, in: cid)
        let shown = try juliet.receive().parameters["payload"]
        #expect(shown?["type"]?.integer == 2)
        #expect(shown?["url"]?.string == "http://x/a.png")
        #expect(shown?["width"]?.integer == 3)
        // An edit and a recall reach the other one as commands, which say what to ask for again.
        _ = try romeo.change(cid, ack.uid, at: ack.t) { $0.data = typed("hallo") }
        #expect(try juliet.receive().parameters["payload"]?["cmd"]?.string == "syncMessageExtra")
        _ = try romeo.change(cid, ack.uid, at: ack.t) { $0.recall = true }
        #expect(try juliet.receive().parameters["payload"]?["cmd"]?.string == "messageRevoke")
        // The other way round.
        let items = try romeo.history(cid)
        #expect(items.map(\.from) == ["romeo", "juliet", "romeo"])
        #expect(items.map(\.data) == [#"{"_lctype":-127}"#, typed("hi"), picture])
    }

    @Test("a burst of reconnecting loses nothing and brings nothing twice")
    func burst() throws {
        let server = try TestServer()
        let cid = try server.directID("romeo", "juliet")
        let romeo = try server.leanCloud("romeo")
        var seen: [String] = []
        for round in 0..<10 {
            let juliet = try server.leanCloud("juliet")
            let texts = (0..<5).map { typed("\(round)-\($0)") }
            for text in texts { try romeo.say(text, in: cid) }
            let count = Int32(texts.count)
            // What waits and what comes live together are what was said, each once.
            var counted: Int32 = 0
            var live: [DirectCommand] = []
            while counted + Int32(live.count) < count, let command = try juliet.next() {
                if let told = command.unreadMessage?.convs.first { counted = told.unread }
                if let message = command.directMessage { live.append(message) }
            }
            live += try juliet.messagesWaiting()
            #expect(counted + Int32(live.count) == count)
            #expect(Set(live.map(\.id)).count == live.count)
            seen += try juliet.history(cid) { $0.limit = count }.compactMap(\.data)
            try juliet.read(cid)
            _ = try juliet.wait("the reading") { $0.unreadMessage?.convs.first?.unread == 0 }
            juliet.drop()
        }
        #expect(seen == (0..<10).flatMap { round in (0..<5).map { typed("\(round)-\($0)") } })
    }
}
