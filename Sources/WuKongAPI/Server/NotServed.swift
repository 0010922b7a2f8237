package import APIKit

/// Routes of the original that this server does not serve.
extension WuKongRows {
    /// Routes of the original that this server does not serve.
    package static let notServed: [NotServed] = [
        NotServed("/user/update_plugin_no", Self.plugins),
        NotServed("/plugin/", Self.plugins),
        NotServed("/plugins/", Self.plugins),
        NotServed("/user/systemuids_add_to_cache", Self.nodes),
        NotServed("/user/systemuids_remove_from_cache", Self.nodes),
        NotServed("/cluster/", Self.nodes),
        NotServed("/tmpchannel/subscriber_set", "use /channel/subscriber_add with temp_subscriber=1"),
        NotServed("/tag/", Self.tags),
        NotServed("/tags", Self.tags),
        NotServed("/docs/", "there is no Swagger page: see docs/protocols/wukongim.md"),
        NotServed("/manager/", "operators use teahouse ctl on the server; there is no password sign-in for managers"),
        NotServed("/varz/setting", "settings stand in the configuration file; teahouse ctl status shows the bounds"),
        NotServed("/conversation/list", Self.version3),
        NotServed("/conversation/retry", Self.version3),
        NotServed("/conversations/activate", Self.version3),
        NotServed("/channel/messagesyncbatch", Self.version3),
        NotServed("/message/cmd/bind", Self.version3),
        NotServed("/message/cmd/unbind", Self.version3),
        NotServed("/stream/", "streams are made with /message/send and is_stream=1, and go on with /message/event"),
        NotServed(
            "/streammessage/", "streams are made with /message/send and is_stream=1, and go on with /message/event"),
    ]

    private static let plugins = "plugins are programs for WuKongIM's own process"
    private static let nodes = "this server is one node and has no other to tell"
    private static let tags = "there is no fan-out cache with tags"
    private static let version3 = "it belongs to version 3 of the API, and version 2 is served"
}
