/// Every key there is. `deploy/teahouse.toml` shows them all; a test keeps the two together.
package enum Keys {
    package static let listen = SettingKey<[String]>(
        "listen", ["0.0.0.0:7677"],
        "Addresses to listen on, HOST:PORT; every door is served on each of them. Port 0 takes any free one.")
    package static let data = SettingKey<String>(
        "data", "",
        "The data folder. Empty: $TEAHOUSE_DATA, else /var/lib/teahouse when writable, else ./teahouse-data.")

    package static let logLevel = SettingKey<String>(
        "log.level", "info", choices: ["debug", "info", "warning", "error"],
        "What is logged: debug is each frame, info the life of sessions, warning what was coped with.")
    package static let logFormat = SettingKey<String>(
        "log.format", "logfmt", choices: ["logfmt", "json"], "How a log line is written to standard error.")

    package static let reactors = SettingKey<Int64>(
        "server.reactors", 0, in: 0...64, "threads", "Threads that own sockets; 0 is one less than there are cores.")
    package static let hosts = SettingKey<[String]>(
        "server.hosts", [],
        "Names under which clients reach this server, besides its own name and addresses; others get 421.")
    package static let origins = SettingKey<[String]>(
        "server.origins", [],
        "Web origins, such as https://app.example.com, whose pages may connect and show files. Others get 403.")
    package static let proxies = SettingKey<[String]>(
        "server.proxies", [],
        "Addresses of proxies whose PROXY line is believed; their clients are not counted as one.")
    package static let plainTokens = SettingKey<String>(
        "server.plain_tokens", "private", choices: ["loopback", "private"],
        "From where a token is taken over an unencrypted connection. SDKs on a local network often know no TLS.")
    package static let plainPasswords = SettingKey<String>(
        "server.plain_passwords", "loopback", choices: ["loopback", "private"],
        "From where a password is taken over an unencrypted connection: whoever listens there reads it.")

    package static let clock = SettingKey<String>(
        "server.clock", "watched", choices: ["watched", "trusted"],
        "Watched: nothing is deleted for its age while the clock says a time that cannot be. Trusted: it is right.")

    package static let tls = SettingKey<Bool>(
        "tls.enabled", true,
        "Whether TLS is served, on the same port; an authority of our own is made at first start.")
    package static let certificates = SettingKey<[String]>(
        "tls.certificates", [],
        "Your own certificates, each CHAIN.pem:KEY.pem, chosen by the name a client asks for.")

    package static let connections = SettingKey<Int64>(
        "limits.connections", 10_000, in: 16...1_000_000, "connections", "Open connections; one more is closed at once."
    )
    package static let connectionsPerAddress = SettingKey<Int64>(
        "limits.connections_per_address", 64, in: 1...1_000_000, "connections",
        "Of one address (IPv6: of one /64 network), so that one machine cannot take them all. Loopback is exempt.")
    package static let unauthenticatedConnections = SettingKey<Int64>(
        "limits.unauthenticated_connections", 512, in: 8...1_000_000, "connections",
        """
        That have not signed in yet; they have ten seconds. One more takes the place of the oldest of the address that \
        has the most.
        """)
    package static let uploadBytesPerSecond = SettingKey<Int64>(
        "limits.upload_bytes_per_second", 128, in: 0...1_000_000, "bytes per second",
        "Slowest pace of an upload over a minute in which the server reads it; slower ones end with 408. 0 for any.")
    package static let frameBytes = SettingKey<Int64>(
        "limits.frame_bytes", 262_144, in: 4096...16_777_216, "bytes", "Of one frame or JSON object from a client.")
    package static let bodyBytes = SettingKey<Int64>(
        "limits.body_bytes", 32_768, in: 1024...1_048_576, "bytes", "Of one message body.")
    package static let outboxBytes = SettingKey<Int64>(
        "limits.outbox_bytes", 1_048_576, in: 65_536...67_108_864, "bytes",
        "Waiting for one connection; with more it is sent nothing until it has read, and then catches up.")
    package static let stallSeconds = SettingKey<Int64>(
        "limits.stall_seconds", 30, in: 1...600, "seconds", "A connection that reads nothing for so long is closed.")
    package static let userRate = SettingKey<Int64>(
        "limits.messages_per_second_per_user", 50, in: 1...1_000_000, "messages per second",
        "Of one person, over all devices: as fast as WuKongIM's SDKs send.")
    package static let userBurst = SettingKey<Int64>(
        "limits.message_burst_per_user", 500, in: 1...1_000_000, "messages",
        "Of one person at once: what was written without a connection is sent when it is back.")
    package static let conversationRate = SettingKey<Int64>(
        "limits.messages_per_second_per_conversation", 200, in: 1...1_000_000, "messages per second",
        "Into one group; each is sent to every member.")
    package static let conversationBurst = SettingKey<Int64>(
        "limits.message_burst_per_conversation", 1500, in: 1...1_000_000, "messages",
        "Into one group at once: the bursts of three people.")
    package static let keptCommandRate = SettingKey<Int64>(
        "limits.kept_commands_per_second_per_user", 1, in: 1...1_000_000, "commands per second",
        "Of one person, kept for devices that are away; those above it reach who is online only.")
    package static let keptCommandBurst = SettingKey<Int64>(
        "limits.kept_command_burst_per_user", 60, in: 1...1_000_000, "commands", "Of one person at once.")
    package static let commitQueueRequests = SettingKey<Int64>(
        "limits.commit_queue_requests", 4096, in: 64...1_000_000, "requests",
        "Waiting for the disk; one more is answered with busy.")
    package static let commitQueueBytes = SettingKey<Int64>(
        "limits.commit_queue_bytes", 16_777_216, in: 1_048_576...1_073_741_824, "bytes",
        "Of bodies waiting for the disk.")
    package static let groupMembers = SettingKey<Int64>(
        "limits.group_members", 500, in: 2...100_000, "members", "Of one group.")
    package static let sessionsPerUser = SettingKey<Int64>(
        "limits.sessions_per_user", 20, in: 1...1000, "sessions", "Of one person; with one more the oldest ends.")

    package static let tokenDays = SettingKey<Int64>(
        "store.token_days", 30, in: 30...3650, "days",
        "How long a resent message is recognised by its client number; clients rely on 30.")
    package static let ballastBytes = SettingKey<Int64>(
        "store.ballast_bytes", 67_108_864, in: 0...10_737_418_240, "bytes",
        "A file kept to be given up on a full disk, so that deleting still works.")
    package static let stopWritingFreeBytes = SettingKey<Int64>(
        "store.stop_writing_free_bytes", 268_435_456, in: 0...1_099_511_627_776, "bytes",
        "With less room on the disk new messages are refused; reading goes on.")

    package static let idleSecondsWuKong = SettingKey<Int64>(
        "sessions.idle_seconds_wukong", 180, in: 30...86_400, "seconds",
        "A WuKongIM connection that sends nothing for so long is closed; its SDKs ping every 25 to 60.")

    package static let passwordMinimumCharacters = SettingKey<Int64>(
        "accounts.password_minimum_characters", 10, in: 6...128, "characters", "Of a new password, at least.")

    package static let recallSecondsDirect = SettingKey<Int64>(
        "messages.recall_seconds_direct", 120, in: -1...315_360_000, "seconds",
        "In which people may recall a message of theirs to one person. 0 is never, -1 always.")
    package static let recallSecondsGroup = SettingKey<Int64>(
        "messages.recall_seconds_group", 120, in: -1...315_360_000, "seconds",
        "In which people may recall a message of theirs in a group; WuKongIM apps are told this one. 0 is never, -1 always."
    )
    package static let recallSecondsManagers = SettingKey<Int64>(
        "messages.recall_seconds_managers", -1, in: -1...315_360_000, "seconds",
        "In which managers and the owner may recall messages of others. 0 is never, -1 always.")
    package static let editSecondsDirect = SettingKey<Int64>(
        "messages.edit_seconds_direct", 86_400, in: -1...315_360_000, "seconds",
        "In which people may edit a message of theirs to one person. 0 is never, -1 always.")
    package static let editSecondsGroup = SettingKey<Int64>(
        "messages.edit_seconds_group", 86_400, in: -1...315_360_000, "seconds",
        "In which people may edit a message of theirs in a group. 0 is never, -1 always.")
    package static let receiptsDirect = SettingKey<Bool>(
        "messages.receipts_direct", true,
        "Whether the sender learns who has read a message to one person, when asked for.")
    package static let receiptsGroup = SettingKey<Bool>(
        "messages.receipts_group", true, "Whether the sender learns who has read a message in a group, when asked for.")
    package static let reactions = SettingKey<[String]>(
        "messages.reactions", [],
        "The only reactions people may add to messages. Empty: every emoji, and names of letters, digits and _-+.:[].")
    package static let conversationExpiryDays = SettingKey<Int64>(
        "messages.conversation_expiry_days", 0, in: 0...36_500, "days",
        "A chat, group or room in which nothing was said or changed for so long is deleted. 0: never; LeanCloud: 365.")
    package static let reminderDays = SettingKey<Int64>(
        "messages.reminder_days", 180, in: 1...3650, "days", "How long a reminder (of being called by name) is kept.")

    package static let hooksURL = SettingKey<String>(
        "hooks.url", "",
        "Where events are posted to, http:// or https://, such as http://10.0.0.2:8080/teahouse. Empty: nowhere.")
    package static let hooksEvents = SettingKey<[String]>(
        "hooks.events", ["msg.notify", "msg.offline", "user.onlinestatus"], "Which events are posted.")
    package static let hooksSecretFile = SettingKey<String>(
        "hooks.secret_file", "",
        "A file with a secret of 16 to 1024 bytes that only teahouse may read; requests are signed with it.")
    package static let hooksCAFile = SettingKey<String>(
        "hooks.ca_file", "",
        "Authorities (PEM) that vouch for receivers over https, beside those of this system.")
    package static let hooksTimeoutSeconds = SettingKey<Int64>(
        "hooks.timeout_seconds", 5, in: 1...60, "seconds",
        "For one request; a receiver that answers later is asked again.")
    package static let hooksQueueEvents = SettingKey<Int64>(
        "hooks.queue_events", 1_000_000, in: 1_000...100_000_000, "events",
        "That wait for a receiver, about 40 bytes each on the disk; with more the oldest are dropped.")
    package static let hooksGiveUpHours = SettingKey<Int64>(
        "hooks.give_up_hours", 24, in: 1...720, "hours", "After which an event that no receiver took is dropped.")

    package static let wukong = SettingKey<Bool>("wukong.enabled", true, "Whether WuKongIM clients are served.")
    package static let wukongCatchUp = SettingKey<String>(
        "wukong.catch_up", "json", choices: ["json", "off"],
        "Send JSON sessions what they missed right after sign-in; the easy SDKs have no other way to it.")
    package static let wukongCatchUpMessages = SettingKey<Int64>(
        "wukong.catch_up_messages", 10_000, in: 1...1_000_000, "messages",
        "Most missed messages sent per conversation; older ones stay in the history.")
    package static let wukongRedeliverySeconds = SettingKey<Int64>(
        "wukong.redelivery_seconds", 60, in: 5...3600, "seconds",
        "A message that was not acknowledged for so long is sent again.")
    package static let wukongRedeliveryAttempts = SettingKey<Int64>(
        "wukong.redelivery_attempts", 5, in: 1...100, "sendings",
        "Of one message to one session, the first included.")

    package static let wukongAPI = SettingKey<Bool>(
        "wukong.api_enabled", true, "Whether WuKongIM's HTTP API is served, on the same port.")
    package static let wukongAPIPersonRate = SettingKey<Int64>(
        "wukong.api_requests_per_second", 20, in: 1...1_000_000, "requests per second",
        "Of one person over the HTTP API; the manager's token has no rate.")
    package static let wukongAPIPersonBurst = SettingKey<Int64>(
        "wukong.api_request_burst", 100, in: 1...1_000_000, "requests", "Of one person at once.")
    package static let wukongAPIAddressRate = SettingKey<Int64>(
        "wukong.api_requests_per_second_per_address", 100, in: 1...1_000_000, "requests per second",
        "From one address without the manager's token. Loopback is exempt.")
    package static let wukongAPIAddressBurst = SettingKey<Int64>(
        "wukong.api_request_burst_per_address", 500, in: 1...1_000_000, "requests", "From one address at once.")
    package static let wukongAPIWaiting = SettingKey<Int64>(
        "wukong.api_waiting_requests", 512, in: 1...100_000, "requests",
        "That wait for their answer, per reactor; one more is answered with 503.")
    package static let wukongRegistration = SettingKey<String>(
        "wukong.registration", "off", choices: ["off", "open"],
        "Whether anybody may make an account over the HTTP API; otherwise the operator makes them.")
    package static let wukongDatasource = SettingKey<String>(
        "wukong.datasource", "",
        "Where a channel that is not known is asked for, as WuKongIM asks its datasource. Empty: nowhere.")

    package static let storage = SettingKey<String>(
        "storage", "sqlite", choices: ["sqlite"], "Where messages are kept.")
    package static let bus = SettingKey<String>(
        "bus", "local", choices: ["local"], "How servers tell each other about messages; this one is alone.")
    package static let blobs = SettingKey<String>("blobs", "dir", choices: ["dir"], "Where attachments are kept.")

    package static let historyBeforeJoining = SettingKey<String>(
        "history.before_joining", "all", choices: ["all", "none"],
        "Whether members see what was said before they joined, and while they were not in it: all of it, or none.")

    /// All of them, in the order of the default file.
    package static let all: [SettingDefinition] =
        house + leanCloudKeys + leanCloudDoor + leanCloudFunctions + files + profiles

    private static let house: [SettingDefinition] = [
        listen.definition, data.definition, storage.definition, bus.definition, blobs.definition,
        logLevel.definition, logFormat.definition,
        reactors.definition, hosts.definition, origins.definition, proxies.definition, plainTokens.definition,
        plainPasswords.definition, clock.definition,
        tls.definition, certificates.definition,
        connections.definition, connectionsPerAddress.definition, unauthenticatedConnections.definition,
        uploadBytesPerSecond.definition,
        frameBytes.definition, bodyBytes.definition, outboxBytes.definition, stallSeconds.definition,
        userRate.definition, userBurst.definition, conversationRate.definition, conversationBurst.definition,
        keptCommandRate.definition, keptCommandBurst.definition,
        commitQueueRequests.definition, commitQueueBytes.definition, groupMembers.definition,
        sessionsPerUser.definition,
        tokenDays.definition, ballastBytes.definition, stopWritingFreeBytes.definition,
        idleSecondsWuKong.definition,
        passwordMinimumCharacters.definition,
        recallSecondsDirect.definition, recallSecondsGroup.definition, recallSecondsManagers.definition,
        editSecondsDirect.definition, editSecondsGroup.definition, receiptsDirect.definition,
        receiptsGroup.definition, reactions.definition, conversationExpiryDays.definition, reminderDays.definition,
        historyBeforeJoining.definition,
        hooksURL.definition, hooksEvents.definition, hooksSecretFile.definition, hooksCAFile.definition,
        hooksTimeoutSeconds.definition, hooksQueueEvents.definition, hooksGiveUpHours.definition,
        wukong.definition, wukongCatchUp.definition, wukongCatchUpMessages.definition,
        wukongRedeliverySeconds.definition, wukongRedeliveryAttempts.definition,
        wukongAPI.definition, wukongAPIPersonRate.definition, wukongAPIPersonBurst.definition,
        wukongAPIAddressRate.definition, wukongAPIAddressBurst.definition, wukongAPIWaiting.definition,
        wukongRegistration.definition,
        wukongDatasource.definition,
    ]
}
