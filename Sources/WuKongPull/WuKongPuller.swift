import ByteCodec
package import Execution
package import HTTPClient
package import LeanCloudPull
import Transport
import WuKongWire

/// Saves what a WuKongIM server of version 2 tells through its HTTP API into a folder. Blocks the thread that calls it.
///
/// Names and lists are fetched anew by every pull, the history goes on behind what the folder has: of a pull that was killed no
/// message is fetched twice.
///
///     README.txt  manifest.json  SHA256SUMS  report.json
///     users.jsonl       {"uid":...}
///     channels.jsonl    {"channel_id","channel_type","subscribers":[...],"whole":true,...}
///     members.jsonl     subscribers of channels with more than `Self.inlineMembers`
///     lists.jsonl       {"channel_id","channel_type","list":"denylist","uid"}
///     messages.jsonl    {"channel_id","channel_type","message_seq","message":{...}} as the API gave it
///     positions.jsonl   {"uid","channel_id","channel_type","read","unread"}
package final class WuKongPuller {
    /// Most names that a pull keeps in memory, of users and of members each.
    static let mostNames = 5_000_000
    /// Members that stand in the row of their channel.
    static let inlineMembers = 2_000
    static let pageMessages: Int64 = 200

    /// Facts about a channel before its history.
    private struct Facts {
        var createdAtMilliseconds: Int64?
        var isBanned = false
        var isDisbanded = false
        /// `nil` where nobody says who they are.
        var subscribers: [String]?
        var isWhole = false
        /// Sequence of the newest message in the folder.
        var last: Int64 = 0
        var firstAt: Int64?
        var lastAt: Int64?
    }

    private let options: WuKongPullOptions
    private let source: WuKongSource
    private let tell: (PullEvent) -> Void
    private let lock: FolderLock
    private var report = WuKongPullReport()
    private var users: [String] = []
    private var knownUsers: Set<String> = []
    private var channels: [SourceChannel] = []
    private var facts: [SourceChannel: Facts] = [:]
    private var memberCount = 0
    private var messages: Int64 = 0
    /// When the folder was begun, UTC milliseconds: for channels that say nothing else, so that the next pull says the same.
    private let begunAt: Int64

    /// Opens the folder, and looks whether it is this source's.
    ///
    /// - Parameters:
    ///   - cancellation: ends everything at once; what is saved stays.
    ///   - tell: called on the thread of the pull.
    package init(
        _ options: WuKongPullOptions, _ cancellation: HTTPCancellation, clock: Clock = .system,
        tell: @escaping (PullEvent) -> Void
    ) throws(PullError) {
        self.options = options
        self.tell = tell
        self.source = try WuKongSource(options, cancellation, clock: clock, tell: tell)
        let work = options.folder + "/.pull"
        try Disk.makeFolder(options.folder)
        try Disk.makeFolder(work)
        self.lock = try FolderLock(work + "/lock", folder: options.folder)
        let mark = work + "/source"
        if let reader = try LineReader(mark), let found = try reader.next() {
            guard found == Array(options.source.utf8) else {
                throw .otherSource(found: String(decoding: found, as: UTF8.self))
            }
            self.begunAt = try reader.next().flatMap { Int64(String(decoding: $0, as: UTF8.self)) } ?? 0
        } else {
            self.begunAt = clock.wallMilliseconds()
            guard Disk.size(options.folder + "/manifest.json") == nil else { throw .notEmpty(path: options.folder) }
            try Disk.write(Array("\(options.source)\n\(self.begunAt)\n".utf8), to: mark)
        }
    }

    /// Fetches everything that is there now.
    ///
    /// - Returns: what was counted, and what could not be fetched.
    package func run() throws(PullError) -> WuKongPullReport {
        try self.readHistory()
        if let path = self.options.names { try self.takeNames(path) }
        if self.options.lists {
            try self.list("/cluster/users") { row throws(PullError) in
                if let uid = row["uid"]?.string { try self.note(user: uid) }
            }
            try self.list("/cluster/channels") { row throws(PullError) in try self.noteListed(row) }
        }
        guard !self.users.isEmpty || !self.channels.isEmpty else {
            throw .notWuKong("it names neither users nor channels: name some in a file with --names")
        }
        let lists = try OutputFile(self.path("lists.jsonl.new"))
        let positions = try OutputFile(self.path("positions.jsonl.new"))
        // Each may lead to others of the same kind: channels to users and users to channels.
        var (channel, user) = (0, 0)
        while channel < self.channels.count || user < self.users.count {
            if channel < self.channels.count {
                try self.pullMembers(of: self.channels[channel], lists)
                channel += 1
                self.tell(.progress(PullProgress(.rows(of: "channels"), count: Int64(channel))))
            } else {
                let uid = self.users[user]
                try self.pullLists(SourceChannel(id: uid, type: SourceChannel.person), lists)
                try self.pullConversations(of: uid, positions)
                user += 1
                self.tell(.progress(PullProgress(.rows(of: "users"), count: Int64(user))))
            }
        }
        try self.pullHistory()
        try self.writeNames()
        for file in [lists, positions] { try file.finish() }
        try self.finish()
        return self.report
    }

    private func path(_ name: String) -> String { self.options.folder + "/" + name }

    // MARK: Names

    private func note(user uid: String) throws(PullError) {
        guard (1...SourceChannel.maximumIDBytes).contains(uid.utf8.count) else {
            self.report.noteFailure("a user", "its uid has \(uid.utf8.count) bytes")
            return
        }
        guard self.knownUsers.insert(uid).inserted else { return }
        try self.check(self.knownUsers.count)
        self.users.append(uid)
    }

    private func note(_ channel: SourceChannel) throws(PullError) {
        // Commands are for the devices of that moment.
        guard !channel.isOfCommands, self.facts[channel] == nil else { return }
        self.facts[channel] = Facts()
        try self.check(self.facts.count)
        self.channels.append(channel)
        if let people = channel.people {
            try self.note(user: people.first)
            try self.note(user: people.second)
        }
    }

    private func check(_ count: Int) throws(PullError) {
        guard count <= Self.mostNames else {
            throw .input(path: self.options.source, reason: "it names more than \(Self.mostNames) users or members")
        }
    }

    private func takeNames(_ path: String) throws(PullError) {
        guard let reader = try LineReader(path) else { throw .input(path: path, reason: "there is no such file") }
        var number = 0
        while let line = try reader.next() {
            number += 1
            guard !line.isEmpty else { continue }
            switch NamedSource(line: line) {
            case .user(let uid): try self.note(user: uid)
            case .channel(let channel, let subscribers):
                try self.note(channel)
                if let subscribers { try self.take(subscribers, of: channel, isWhole: true) }
            case nil:
                throw .input(
                    path: path,
                    reason:
                        "line \(number) is neither {\"uid\":\"...\"} nor {\"channel_id\":\"...\",\"channel_type\":2}")
            }
        }
    }

    private func take(_ named: [String], of channel: SourceChannel, isWhole: Bool) throws(PullError) {
        let uids = named.filter { (1...SourceChannel.maximumIDBytes).contains($0.utf8.count) }
        if uids.count < named.count {
            self.report.noteFailure(
                "\(named.count - uids.count) members of channel \(channel.id), type \(channel.type)",
                "their uids are empty or have more than \(SourceChannel.maximumIDBytes) bytes")
        }
        self.memberCount += uids.count - (self.facts[channel]?.subscribers?.count ?? 0)
        try self.check(self.memberCount)
        self.facts[channel]?.subscribers = uids
        self.facts[channel]?.isWhole = isWhole
        for uid in uids { try self.note(user: uid) }
    }

    private func list(
        _ path: String, _ body: (JSONValue) throws(PullError) -> Void
    ) throws(PullError) {
        var walk = ListingWalk(path)
        var count: Int64 = 0
        while true {
            switch try self.source.get(walk.target, what: "the listing \(path)") {
            case .tooLong: throw .notWuKong("a page of \(path) is too long")
            case .refused(let why):
                self.report.notes.append(
                    "the source does not list \(path): \(why); name users and channels with --names")
                return
            case .value(let page):
                if path == "/cluster/users", let total = page["total"]?.integer { self.report.usersThere = total }
                let (rows, isOver) = try walk.take(page)
                for row in rows { try body(row) }
                count += Int64(rows.count)
                self.tell(.progress(PullProgress(.rows(of: path), count: count)))
                if isOver { return }
            }
        }
    }

    /// Source: WuKongIM v2.2.5, `pkg/cluster/cluster`, `channelInfoResp`; times in nanoseconds.
    private func noteListed(_ row: JSONValue) throws(PullError) {
        guard let id = row["channel_id"]?.string,
            let channel = SourceChannel(id: id, type: row["channel_type"]?.integer ?? 0)
        else {
            self.report.noteFailure("a channel of the listing", "it has no id or type that a channel has")
            return
        }
        // Of a person the listing has switches and lists, which stand under the uid.
        if channel.type == SourceChannel.person, channel.people == nil { return try self.note(user: id) }
        try self.note(channel)
        self.facts[channel]?.isBanned = row["ban"]?.integer == 1
        self.facts[channel]?.isDisbanded = row["disband"]?.integer == 1
        if let created = row["created_at"]?.integer, created > 0 {
            self.facts[channel]?.createdAtMilliseconds = created / 1_000_000
        }
    }

    // MARK: Members and lists

    private static func target(_ channel: SourceChannel, _ name: String) -> String {
        "/cluster/channels/\(PercentEncoding.segment(channel.id))/\(channel.type)/\(name)"
    }

    private func uids(_ channel: SourceChannel, _ name: String) throws(PullError) -> [String]? {
        let what = "\(name) of channel \(channel.id), type \(channel.type)"
        switch try self.source.get(Self.target(channel, name), what: what) {
        case .value(let value):
            if let uids = value.array?.compactMap(\.string) { return uids }
            self.report.noteFailure(what, "the answer is no list")
        case .tooLong: self.report.noteFailure(what, "the list is too long for one answer")
        case .refused(let why): self.report.noteFailure(what, why)
        }
        return nil
    }

    private func pullMembers(of channel: SourceChannel, _ lists: OutputFile) throws(PullError) {
        guard channel.type != SourceChannel.person else { return }
        // Who is named in the operator's file is right: their business server knows.
        if self.facts[channel]?.isWhole != true, let uids = try self.uids(channel, "subscribers") {
            try self.take(uids, of: channel, isWhole: true)
        }
        try self.pullLists(channel, lists)
    }

    private func pullLists(_ channel: SourceChannel?, _ lists: OutputFile) throws(PullError) {
        guard let channel else { return }
        for name in ["denylist", "allowlist"] {
            for uid in try self.uids(channel, name) ?? [] {
                var json = JSONWriter()
                json.beginObject()
                channel.write(to: &json)
                json.key("list")
                json.string(name)
                json.key("uid")
                json.string(uid)
                json.endObject()
                try lists.write(line: json.bytes)
            }
        }
    }

    // MARK: Conversations

    /// Source: WuKongIM v2.2.5, `internal/api/conversation.go`, `syncUserConversation`: without `page` all of a person's
    /// conversations that have messages; a person channel by the uid of the other one.
    private func pullConversations(of uid: String, _ positions: OutputFile) throws(PullError) {
        let what = "the conversations of \(uid)"
        let question = JSONValue.object([
            JSONValue.Member("uid", .string(uid)), JSONValue.Member("version", .integer(0)),
            JSONValue.Member("last_msg_seqs", .string("")), JSONValue.Member("msg_count", .integer(1)),
        ])
        switch try self.source.post("/conversation/sync", question, what: what) {
        case .tooLong:
            self.report.noteFailure(what, "the list is too long for one answer: nothing of it counts as read")
        case .refused(let why): self.report.noteFailure(what, "\(why): nothing of it counts as read")
        case .value(let value):
            guard let rows = value.array else {
                self.report.noteFailure(what, "the answer is no list: nothing of it counts as read")
                return
            }
            for row in rows { try self.take(row, of: uid, positions) }
        }
    }

    private func take(_ row: JSONValue, of uid: String, _ positions: OutputFile) throws(PullError) {
        let (id, type) = (row["channel_id"]?.string ?? "", row["channel_type"]?.integer ?? 0)
        let found = type == SourceChannel.person ? SourceChannel(of: uid, and: id) : SourceChannel(id: id, type: type)
        guard let channel = found, !id.isEmpty else {
            self.report.noteFailure("a conversation of \(uid)", "it has no channel")
            return
        }
        guard !channel.isOfCommands else { return }
        try self.note(channel)
        var json = JSONWriter()
        json.beginObject()
        json.key("uid")
        json.string(uid)
        channel.write(to: &json)
        json.key("read")
        json.integer(row["readed_to_msg_seq"]?.integer ?? 0)
        json.key("unread")
        json.integer(row["unread"]?.integer ?? 0)
        json.endObject()
        try positions.write(line: json.bytes)
    }

    // MARK: History

    /// Notes how far the folder has the history of each channel.
    private func readHistory() throws(PullError) {
        guard let reader = try LineReader(self.path("messages.jsonl")) else { return }
        while let line = try reader.next() {
            guard let row = try? JSONValue(parsing: line), let id = row["channel_id"]?.string,
                let channel = SourceChannel(id: id, type: row["channel_type"]?.integer ?? 0)
            else { continue }
            try self.note(channel)
            self.noteMessage(row["message_seq"]?.integer ?? 0, row["message"], of: channel)
        }
    }

    private func noteMessage(_ sequence: Int64, _ message: JSONValue?, of channel: SourceChannel) {
        self.messages += 1
        guard var facts = self.facts[channel] else { return }
        if ChannelWalk.sequences.contains(sequence) { facts.last = max(facts.last, sequence) }
        if let seconds = message?["timestamp"]?.integer, (1...253_402_300_799).contains(seconds) {
            facts.firstAt = facts.firstAt ?? seconds * 1_000
            facts.lastAt = seconds * 1_000
        }
        self.facts[channel] = facts
    }

    private func pullHistory() throws(PullError) {
        let file = try OutputFile.appending(self.path("messages.jsonl"))
        for channel in self.channels { try self.pullHistory(of: channel, file) }
        try file.finish()
    }

    private func pullHistory(of channel: SourceChannel, _ file: OutputFile) throws(PullError) {
        let what = "the messages of channel \(channel.id), type \(channel.type)"
        var login = self.facts[channel]?.subscribers?.first ?? self.users.first ?? "teahouse"
        var id = channel.id
        if channel.type == SourceChannel.person {
            guard let people = channel.people else {
                return self.report.noteFailure(what, "its id does not say who its two people are")
            }
            (login, id) = (people.first, people.second)
        }
        var walk = ChannelWalk(after: self.facts[channel]?.last ?? 0)
        var limit = Self.pageMessages
        while true {
            let question = JSONValue.object([
                JSONValue.Member("login_uid", .string(login)), JSONValue.Member("channel_id", .string(id)),
                JSONValue.Member("channel_type", .integer(channel.type)),
                JSONValue.Member("start_message_seq", .integer(walk.next)),
                JSONValue.Member("end_message_seq", .integer(0)), JSONValue.Member("limit", .integer(limit)),
                JSONValue.Member("pull_mode", .integer(1)),
            ])
            switch try self.source.post("/channel/messagesync", question, what: what) {
            case .refused(let why): return self.report.noteFailure(what, why)
            case .tooLong:
                guard limit > 1 else {
                    return self.report.noteFailure(
                        what, "the message after \(walk.next - 1) is too long for one answer")
                }
                limit = max(1, limit / 8)
            case .value(let page):
                let (rows, isOver) = try walk.take(page)
                for row in rows { try self.write(row, of: channel, to: file) }
                // What is asked for next is behind what is on the disk.
                try file.sync()
                self.tell(.progress(PullProgress(.messages, count: self.messages)))
                if isOver { return }
            }
        }
    }

    private func write(_ row: JSONValue, of channel: SourceChannel, to file: OutputFile) throws(PullError) {
        let sequence = row["message_seq"]?.integer ?? 0
        var json = JSONWriter()
        json.beginObject()
        channel.write(to: &json)
        json.key("message_seq")
        json.integer(sequence)
        json.key("message")
        row.write(to: &json)
        json.endObject()
        try file.write(line: json.bytes)
        self.noteMessage(sequence, row, of: channel)
    }

    // MARK: The end

    private func writeNames() throws(PullError) {
        let (users, channels) = (
            try OutputFile(self.path("users.jsonl.new")), try OutputFile(self.path("channels.jsonl.new"))
        )
        let members = try OutputFile(self.path("members.jsonl.new"))
        for uid in self.users {
            var json = JSONWriter()
            json.beginObject()
            json.key("uid")
            json.string(uid)
            json.endObject()
            try users.write(line: json.bytes)
        }
        for channel in self.channels {
            guard let facts = self.facts[channel] else { continue }
            try channels.write(line: self.line(channel, facts))
            for uid in facts.subscribers ?? [] where (facts.subscribers?.count ?? 0) > Self.inlineMembers {
                var json = JSONWriter()
                json.beginObject()
                channel.write(to: &json)
                json.key("uid")
                json.string(uid)
                json.endObject()
                try members.write(line: json.bytes)
            }
        }
        for file in [users, channels, members] { try file.finish() }
    }

    private func line(_ channel: SourceChannel, _ facts: Facts) -> [UInt8] {
        let subscribers = facts.subscribers ?? []
        let isInline = subscribers.count <= Self.inlineMembers
        var json = JSONWriter()
        json.beginObject()
        channel.write(to: &json)
        json.key("created_at")
        json.integer(facts.createdAtMilliseconds ?? facts.firstAt ?? self.begunAt)
        if let last = facts.lastAt {
            json.key("last_message_at")
            json.integer(last)
        }
        json.key("ban")
        json.boolean(facts.isBanned)
        json.key("disband")
        json.boolean(facts.isDisbanded)
        if isInline, facts.subscribers != nil {
            json.key("subscribers")
            json.beginArray()
            for uid in subscribers { json.string(uid) }
            json.endArray()
        }
        json.key("whole")
        json.boolean(facts.isWhole && isInline)
        json.endObject()
        return json.bytes
    }

    private static let tables = [
        "channels.jsonl", "lists.jsonl", "members.jsonl", "messages.jsonl", "positions.jsonl", "users.jsonl",
    ]

    private func finish() throws(PullError) {
        self.tell(.progress(PullProgress(.finishing, count: 0)))
        for name in Self.tables where Disk.size(self.path(name + ".new")) != nil {
            try Disk.rename(self.path(name + ".new"), to: self.path(name))
        }
        try Disk.write(Array(Self.readMe(self.options.source).utf8), to: self.path("README.txt"))
        var manifest = Manifest(source: self.options.source, app: self.options.source, kind: PulledFolder.wuKongIM)
        for name in Self.tables {
            guard let metrics = try Manifest.metrics(of: name, below: self.options.folder) else { continue }
            manifest.tables.append(metrics)
            self.report.tables.append((name, metrics.rows))
        }
        manifest.messages = self.messages
        try Disk.write(manifest.json, to: self.path("manifest.json"))
        var sums = ""
        for table in manifest.tables { sums += "\(table.sha256)  \(table.path)\n" }
        try Disk.write(Array(sums.utf8), to: self.path("SHA256SUMS"))
        try Disk.write(self.report.json + [UInt8(ascii: "\n")], to: self.path("report.json"))
    }

    private static func readMe(_ source: String) -> String {
        """
        This folder holds what the WuKongIM server \(source) told through its HTTP API, saved by "teahouse wukongim pull".
        It is private: names and messages.

        users.jsonl       one uid in each line
        channels.jsonl    channels with their subscribers; "whole": false where there may be more; times in milliseconds
        members.jsonl     subscribers of very large channels
        lists.jsonl       deny and allow lists; those of a person stand under the uid, type 1
        messages.jsonl    messages as the API gave them, by channel and sequence; payload is base64
        positions.jsonl   how far each user has read in each conversation
        manifest.json, SHA256SUMS   check all of it:  sha256sum --quiet -c SHA256SUMS
        report.json       what could not be fetched, and why

        本文件夹保存了 WuKongIM 服务器 \(source) 通过 HTTP API 给出的数据，由 "teahouse wukongim pull" 取回。
        其中有姓名和聊天内容，请妥善保管。

        users.jsonl 用户；channels.jsonl 频道与订阅者（"whole": false 表示可能不完整，时间为毫秒）；members.jsonl 超大频道的订阅者；
        lists.jsonl 黑白名单；messages.jsonl 消息（与 API 返回一致，payload 为 base64）；positions.jsonl 已读位置；
        report.json 未能取回的内容及原因。

        """
    }
}
