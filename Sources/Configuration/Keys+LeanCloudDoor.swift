/// How apps made with LeanCloud's SDKs connect.
extension Keys {
    package static let leanCloudPublicServer = SettingKey<String>(
        "leancloud.public_server", "",
        "Where the router leads apps, such as wss://chat.example.com or chat.example.com:7677. Empty: to where they asked."
    )
    package static let leanCloudIdleSeconds = SettingKey<Int64>(
        "leancloud.idle_seconds", 400, in: 200...86_400, "seconds",
        "A connection is closed when nothing came from it for so long. The SDKs say something every 180 seconds.")
    package static let leanCloudRoomRejoinSeconds = SettingKey<Int64>(
        "leancloud.room_rejoin_seconds", 1_800, in: 60...604_800, "seconds",
        "Who was in a chat room and comes back within so long is in it again without asking.")
    package static let leanCloudCommandBytes = SettingKey<Int64>(
        "leancloud.command_bytes", 5_120, in: 1_024...131_072, "bytes",
        "Of one command from a client (code 4109). Some SDKs refuse more than 5120 themselves.")
    package static let leanCloudRequestsPerMinute = SettingKey<Int64>(
        "leancloud.requests_per_minute", 600, in: 1...1_000_000, "requests",
        "Of one person, all but messages and pages of history (codes 4116, 4318). LeanCloud: 30.")
    package static let leanCloudHistoryPerMinute = SettingKey<Int64>(
        "leancloud.history_per_minute", 1_200, in: 1...1_000_000, "requests",
        "For pages of history, of one person (code 4318). LeanCloud: 120.")
    package static let leanCloudArrivingIsReading = SettingKey<Bool>(
        "leancloud.arriving_is_reading", false,
        "Whether a message counts as read when a client has got it live; else when it says that it was read.")

    static let leanCloudDoor: [SettingDefinition] = [
        leanCloudPublicServer.definition, leanCloudIdleSeconds.definition, leanCloudRoomRejoinSeconds.definition,
        leanCloudCommandBytes.definition, leanCloudRequestsPerMinute.definition, leanCloudHistoryPerMinute.definition,
        leanCloudArrivingIsReading.definition,
    ]
}
