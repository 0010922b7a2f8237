import ByteCodec

/// One request to the receiver, worded and ready.
struct Parcel: Sendable {
    /// Parcels of one lane go one after the other; lanes go side by side. Each conversation keeps to one lane.
    var lane: Int
    var event: HookEvent
    /// The same for every attempt, also after a restart.
    var id: String
    var body: [UInt8]
    /// When the newest of its events happened.
    var newestAtMilliseconds: Int64
    var events: Int64
}

extension Parcel {
    private static let messageLane = 0
    private static let statusLane = 1
    /// Lanes for messages to people who are away, each with a request of its own.
    private static let offlineLanes = 4

    /// Parcels of one page, in the order of its messages.
    static func parcels(of page: HookPage, for events: Set<HookEvent>) -> [Parcel] {
        var parcels: [Parcel] = []
        if events.contains(.messages), let parcel = self.messages(page.messages) { parcels.append(parcel) }
        if events.contains(.offline) { parcels += page.messages.compactMap(self.offline) }
        guard events.contains(.onlineStatus) else { return parcels }
        for entry in page.bodies {
            guard case .body(let body) = entry.subject else { continue }
            parcels.append(
                Parcel(
                    lane: self.statusLane, event: .onlineStatus,
                    id: "status-\(entry.createdAtMilliseconds)-\(entry.sequence)", body: body,
                    newestAtMilliseconds: entry.createdAtMilliseconds, events: 1))
        }
        return parcels
    }

    private static func messages(_ messages: [QueuedMessage]) -> Parcel? {
        guard let first = messages.first, let last = messages.last else { return nil }
        var json = JSONWriter(capacity: 512 * messages.count)
        json.beginArray()
        for message in messages { MessageNotification(message).write(to: &json) }
        json.endArray()
        return Parcel(
            lane: self.messageLane, event: .messages,
            id: "notify-\(first.message.id.rawValue)-\(last.message.id.rawValue)", body: json.bytes,
            newestAtMilliseconds: messages.reduce(0) { max($0, $1.createdAtMilliseconds) },
            events: Int64(messages.count))
    }

    /// `nil` when nobody is to be woken. WuKongIM never wakes anybody for an agent.
    private static func offline(_ item: QueuedMessage) -> Parcel? {
        let notice = MessageNotification(item)
        guard !item.absent.isEmpty, notice.message.channelType != .agent else { return nil }
        var json = JSONWriter(capacity: 512)
        notice.write(to: &json, receivers: item.absent)
        let lane = Int(item.message.conversation.rawValue % Int64(self.offlineLanes))
        return Parcel(
            lane: self.statusLane + 1 + lane, event: .offline, id: "offline-\(item.message.id.rawValue)",
            body: json.bytes, newestAtMilliseconds: item.createdAtMilliseconds, events: 1)
    }
}
