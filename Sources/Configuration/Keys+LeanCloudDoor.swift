/// How apps made with LeanCloud's SDKs connect.
extension Keys {
    package static let leanCloudPublicServer = SettingKey<String>(
        "leancloud.public_server", "",
        """
        Address that the router gives to apps, such as wss://chat.example.com or chat.example.com:7677. Empty: the \
        address of their request.
        """)
    package static let leanCloudIdleSeconds = SettingKey<Int64>(
        "leancloud.idle_seconds", 400, in: 200...86_400, "seconds",
        "Time without a command after which a connection is closed. The SDKs send one every 180 seconds.")
    package static let leanCloudRoomRejoinSeconds = SettingKey<Int64>(
        "leancloud.room_rejoin_seconds", 1_800, in: 60...604_800, "seconds",
        "Time within which a person who left a chat room by losing the connection is put back into it on return.")
    package static let leanCloudCommandBytes = SettingKey<Int64>(
        "leancloud.command_bytes", 5_120, in: 1_024...131_072, "bytes",
        "Maximum size of one command from a client (code 4109). Some SDKs refuse more than 5120 themselves.")
    package static let leanCloudRequestsPerMinute = SettingKey<Int64>(
        "leancloud.requests_per_minute", 600, in: 1...1_000_000, "requests",
        """
        Maximum rate of one person's requests, except messages and pages of history (codes 4116, 4318). LeanCloud: \
        30.
        """)
    package static let leanCloudHistoryPerMinute = SettingKey<Int64>(
        "leancloud.history_per_minute", 1_200, in: 1...1_000_000, "requests",
        "Maximum rate of one person's requests for pages of history (code 4318). LeanCloud: 120.")
    package static let leanCloudArrivingIsReading = SettingKey<Bool>(
        "leancloud.arriving_is_reading", false,
        "Count a message as read when a client has received it live; else when the client says that it was read.")

    static let leanCloudDoor: [SettingDefinition] = [
        leanCloudPublicServer.definition, leanCloudIdleSeconds.definition, leanCloudRoomRejoinSeconds.definition,
        leanCloudCommandBytes.definition, leanCloudRequestsPerMinute.definition, leanCloudHistoryPerMinute.definition,
        leanCloudArrivingIsReading.definition,
    ]
}
