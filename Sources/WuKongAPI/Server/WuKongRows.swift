package import APIKit

/// WuKongIM's HTTP API: one row per path. Source: WuKongIM v2.2.5, its server API.
///
/// `.manager` rows are for an app's own server. The others a client may use too, with the token of its person.
package enum WuKongRows {
    /// Routes of WuKongIM's HTTP API.
    package static let all: [Route] =
        Self.users + Self.routes + Self.channels + Self.lists + Self.messages + Self.conversations + Self.reminders
        + Self.operations

    private static let users: [Route] = [
        Route("POST", "/user/token", .manager, Users.registerToken).inTrial(.handler(Trial.registerToken)),
        Route("POST", "/user/device_quit", .manager, Users.quitDevice),
        Route("POST", "/user/onlinestatus", .manager, Users.onlineStatus),
        Route("GET", "/user/systemuids", .manager, SystemAccounts.list),
        Route("POST", "/user/systemuids_add", .manager, SystemAccounts.handler(adds: true)),
        Route("POST", "/user/systemuids_remove", .manager, SystemAccounts.handler(adds: false)),
    ]

    private static let routes: [Route] = [
        Route("GET", "/route", .anyone, Addresses.find),
        Route("POST", "/route/batch", .anyone, Addresses.findBatch),
    ]

    private static let channels: [Route] = [
        Route("POST", "/channel", .manager, Channels.save).inTrial(.handler(Trial.saveChannel)),
        Route("POST", "/channel/info", .manager, Channels.saveInfo),
        Route("POST", "/channel/delete", .manager, Channels.delete),
        Route("POST", "/channel/subscriber_add", .manager, Channels.addSubscribers)
            .inTrial(.handler(Trial.addSubscribers)),
        Route("POST", "/channel/subscriber_remove", .manager, Channels.removeSubscribers),
        Route("POST", "/channel/subscriber_remove_all", .manager, Channels.removeAllSubscribers),
        Route("POST", "/channel/messagesync", .person(.body("login_uid")), History.sync).inTrial(.person),
        Route("GET", "/channel/max_message_seq", .person(.query("login_uid")), History.maximumSequence),
        Route("GET", "/channel/last_message", .person(.query("login_uid")), History.last),
    ]

    private static let lists: [Route] = [
        Route("POST", "/channel/blacklist_add", .manager, ChannelLists.handler(.black, .add)),
        Route("POST", "/channel/blacklist_set", .manager, ChannelLists.handler(.black, .replace)),
        Route("POST", "/channel/blacklist_remove", .manager, ChannelLists.handler(.black, .remove)),
        Route("POST", "/channel/blacklist_remove_all", .manager, ChannelLists.handler(.black, .removeAll)),
        Route("POST", "/channel/whitelist_add", .manager, ChannelLists.handler(.white, .add)),
        Route("POST", "/channel/whitelist_set", .manager, ChannelLists.handler(.white, .replace)),
        Route("POST", "/channel/whitelist_remove", .manager, ChannelLists.handler(.white, .remove)),
        Route("POST", "/channel/whitelist_remove_all", .manager, ChannelLists.handler(.white, .removeAll)),
        Route("GET", "/channel/whitelist", .manager, ChannelLists.whitelist),
    ]

    private static let messages: [Route] = [
        Route("POST", "/message/send", .person(.body("from_uid")), Sending.send),
        Route("POST", "/message/sendbatch", .manager, Sending.sendBatch),
        Route("POST", "/message/sync", .person(.body("uid")), Commands.sync),
        Route("POST", "/message/syncack", .person(.body("uid")), Commands.acknowledge),
        Route("POST", "/messages", .person(.body("login_uid")), History.pick),
        Route("POST", "/message", .person(.body("login_uid")), History.one),
        Route("GET", "/message/byclientmsgno", .person(.query("login_uid")), History.byClientNumber),
        Route("POST", "/message/event", .person(.body("from_uid")), Streams.append),
        Route("POST", "/message/eventsync", .person(.body("login_uid")), Streams.sync),
    ]

    private static let conversations: [Route] = [
        Route("POST", "/conversation/sync", .person(.body("uid")), Conversations.sync).inTrial(.person),
        Route("POST", "/conversation/syncByChannels", .person(.body("uid")), Conversations.syncByChannels),
        Route("POST", "/conversation/syncMessages", .person(.body("uid")), Conversations.syncMessages),
        Route("POST", "/conversation/channels", .person(.body("uid")), Conversations.channels),
        Route("POST", "/conversations/clearUnread", .person(.body("uid")), Conversations.clearUnread).inTrial(.person),
        Route("POST", "/conversations/setUnread", .person(.body("uid")), Conversations.setUnread),
        Route("POST", "/conversations/delete", .person(.body("uid")), Conversations.delete),
    ]

    private static let reminders: [Route] = [
        Route("POST", "/reminders/add", .manager, Reminders.add),
        Route("POST", "/reminders/done", .manager, Reminders.finish),
    ]

    private static let operations: [Route] = [
        Route("GET", "/health", .anyone, Operations.health),
        Route("GET", "/connz", .manager, Operations.connections),
        Route("GET", "/varz", .manager, Operations.metrics),
        Route("POST", "/conn/kick", .manager, Operations.end(isKick: true)),
        Route("POST", "/conn/remove", .manager, Operations.end(isKick: false)),
    ]
}
