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

    static let leanCloudDoor: [SettingDefinition] = [
        leanCloudPublicServer.definition, leanCloudIdleSeconds.definition, leanCloudRoomRejoinSeconds.definition,
    ]
}
