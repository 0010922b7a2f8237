/// Every key there is. `deploy/teahouse.toml` shows them all; a test keeps the two together.
package enum Keys {
    package static let listen = SettingKey<[String]>(
        "listen", ["0.0.0.0:7677"],
        "Addresses to listen on, HOST:PORT; every protocol is served on each of them. Port 0 takes any free one.")
    package static let data = SettingKey<String>(
        "data", "", "Data folder. Empty: $TEAHOUSE_DATA, else /var/lib/teahouse when writable, else ./teahouse-data.")

    package static let logLevel = SettingKey<String>(
        "log.level", "info", choices: ["debug", "info", "warning", "error"],
        """
        Lowest level that is logged: debug is each frame, info the life of sessions, warning what teahouse coped \
        with.
        """)
    package static let logFormat = SettingKey<String>(
        "log.format", "logfmt", choices: ["logfmt", "json"], "Format of the log lines on standard error.")

    package static let serverName = SettingKey<String>(
        "server.name", "teahouse",
        "Name of this server that people see: at sign-in, in invitations, on the printed card.")
    package static let confine = SettingKey<Bool>(
        "server.confine", true,
        """
        Let the process give up, at its start, to write outside of its folders and to run programs, where the kernel \
        can (Landlock).
        """)
    package static let reactors = SettingKey<Int64>(
        "server.reactors", 0, in: 0...64, "threads", "Threads that own sockets; 0 for one less than there are cores.")
    package static let hosts = SettingKey<[String]>(
        "server.hosts", [],
        "Names under which clients reach this server, besides its own name and addresses; other names get 421.")
    package static let origins = SettingKey<[String]>(
        "server.origins", [],
        "Web origins, such as https://app.example.com, whose pages may connect and show files. Other origins get 403.")
    package static let proxies = SettingKey<[String]>(
        "server.proxies", [],
        "Addresses of proxies whose PROXY line is believed; connection limits then count their clients one by one.")
    package static let plainTokens = SettingKey<String>(
        "server.plain_tokens", "private", choices: ["loopback", "private"],
        """
        Networks from which a token is accepted over an unencrypted connection. SDKs on a local network often know \
        no TLS.
        """)
    package static let plainPasswords = SettingKey<String>(
        "server.plain_passwords", "loopback", choices: ["loopback", "private"],
        "Networks from which a password is accepted over an unencrypted connection; everybody on the path can read it.")

    package static let clock = SettingKey<String>(
        "server.clock", "watched", choices: ["watched", "trusted"],
        """
        Watched: nothing is deleted for its age while the clock shows an impossible time. Trusted: the clock is \
        always believed.
        """)

    package static let tls = SettingKey<Bool>(
        "tls.enabled", true, "Serve TLS, on the same port; the first start makes a certificate authority of its own.")
    package static let certificates = SettingKey<[String]>(
        "tls.certificates", [],
        "Certificates of your own, each CHAIN.pem:KEY.pem, chosen by the name that a client asks for.")

    package static let connections = SettingKey<Int64>(
        "limits.connections", 10_000, in: 16...1_000_000, "connections",
        "Maximum number of open connections; one more is closed at once.")
    package static let connectionsPerAddress = SettingKey<Int64>(
        "limits.connections_per_address", 64, in: 1...1_000_000, "connections",
        "Maximum number of connections from one address (IPv6: from one /64 network). Loopback is exempt.")
    package static let unauthenticatedConnections = SettingKey<Int64>(
        "limits.unauthenticated_connections", 512, in: 8...1_000_000, "connections",
        """
        Maximum number of connections that have not signed in yet; each has ten seconds. One more replaces the \
        oldest of the address that has the most.
        """)
    package static let uploadBytesPerSecond = SettingKey<Int64>(
        "limits.upload_bytes_per_second", 128, in: 0...1_000_000, "bytes per second",
        "Minimum rate of an upload, measured over a minute of reading; a slower one ends with 408. 0 for no minimum.")
    package static let frameBytes = SettingKey<Int64>(
        "limits.frame_bytes", 262_144, in: 4096...16_777_216, "bytes",
        "Maximum size of one frame or JSON object from a client.")
    package static let bodyBytes = SettingKey<Int64>(
        "limits.body_bytes", 32_768, in: 1024...1_048_576, "bytes", "Maximum size of one message body.")
    package static let outboxBytes = SettingKey<Int64>(
        "limits.outbox_bytes", 1_048_576, in: 65_536...67_108_864, "bytes",
        """
        Maximum size of one connection's send queue; over it the connection gets nothing until it has read, and then \
        catches up.
        """)
    package static let stallSeconds = SettingKey<Int64>(
        "limits.stall_seconds", 30, in: 1...600, "seconds",
        "Time after which a connection that reads nothing is closed.")
    package static let userRate = SettingKey<Int64>(
        "limits.messages_per_second_per_user", 50, in: 1...1_000_000, "messages per second",
        "Maximum rate of one person's messages, over all devices: as fast as WuKongIM's SDKs send.")
    package static let userBurst = SettingKey<Int64>(
        "limits.message_burst_per_user", 500, in: 1...1_000_000, "messages",
        "Burst size of one person: messages written without a connection are sent when it is back.")
    package static let conversationRate = SettingKey<Int64>(
        "limits.messages_per_second_per_conversation", 200, in: 1...1_000_000, "messages per second",
        "Maximum rate of messages into one group; each is sent to every member.")
    package static let conversationBurst = SettingKey<Int64>(
        "limits.message_burst_per_conversation", 1500, in: 1...1_000_000, "messages",
        "Burst size of one group: the bursts of three people.")
    package static let keptCommandRate = SettingKey<Int64>(
        "limits.kept_commands_per_second_per_user", 1, in: 1...1_000_000, "commands per second",
        """
        Maximum rate of one person's commands that are kept for devices that are away; others reach only devices \
        that are online.
        """)
    package static let keptCommandBurst = SettingKey<Int64>(
        "limits.kept_command_burst_per_user", 60, in: 1...1_000_000, "commands",
        "Burst size of one person's kept commands.")
    package static let commitQueueRequests = SettingKey<Int64>(
        "limits.commit_queue_requests", 4096, in: 64...1_000_000, "requests",
        "Maximum number of requests that wait for the disk; one more is answered with busy.")
    package static let commitQueueBytes = SettingKey<Int64>(
        "limits.commit_queue_bytes", 16_777_216, in: 1_048_576...1_073_741_824, "bytes",
        "Maximum size of the message bodies that wait for the disk.")
    package static let searchMilliseconds = SettingKey<Int64>(
        "limits.search_milliseconds", 200, in: 10...500, "milliseconds",
        "Maximum time of one search; the answer is what was found until then, and where to go on.")
    package static let groupMembers = SettingKey<Int64>(
        "limits.group_members", 500, in: 2...100_000, "members", "Maximum number of members of one group.")
    package static let sessionsPerUser = SettingKey<Int64>(
        "limits.sessions_per_user", 20, in: 1...1000, "sessions",
        "Maximum number of one person's sessions; one more ends the oldest.")

    package static let tokenDays = SettingKey<Int64>(
        "store.token_days", 30, in: 30...3650, "days",
        "Time for which a resent message is recognised by its client message ID; clients rely on 30.")
    package static let ballastBytes = SettingKey<Int64>(
        "store.ballast_bytes", 67_108_864, in: 0...10_737_418_240, "bytes",
        "Size of a reserve file: room for the message log, and for deleting on a full disk; 0 is without that log.")
    package static let stopWritingFreeBytes = SettingKey<Int64>(
        "store.stop_writing_free_bytes", 268_435_456, in: 0...1_099_511_627_776, "bytes",
        "Minimum free space: below it new messages are refused; reading goes on.")

    package static let idleSecondsWuKong = SettingKey<Int64>(
        "sessions.idle_seconds_wukong", 180, in: 30...86_400, "seconds",
        "Time without a frame after which a WuKongIM connection is closed; its SDKs ping every 25 to 60.")

    package static let passwordMinimumCharacters = SettingKey<Int64>(
        "accounts.password_minimum_characters", 10, in: 6...128, "characters", "Minimum length of a new password.")

    package static let recallSecondsDirect = SettingKey<Int64>(
        "messages.recall_seconds_direct", 120, in: -1...315_360_000, "seconds",
        "Time within which people may recall their own message to one person. 0 for never, -1 for always.")
    package static let recallSecondsGroup = SettingKey<Int64>(
        "messages.recall_seconds_group", 120, in: -1...315_360_000, "seconds",
        """
        Time within which people may recall their own message in a group; WuKongIM apps are told this one. 0 for \
        never, -1 for always.
        """)
    package static let recallSecondsManagers = SettingKey<Int64>(
        "messages.recall_seconds_managers", -1, in: -1...315_360_000, "seconds",
        "Time within which managers and the owner may recall messages of others. 0 for never, -1 for always.")
    package static let editSecondsDirect = SettingKey<Int64>(
        "messages.edit_seconds_direct", 86_400, in: -1...315_360_000, "seconds",
        "Time within which people may edit their own message to one person. 0 for never, -1 for always.")
    package static let editSecondsGroup = SettingKey<Int64>(
        "messages.edit_seconds_group", 86_400, in: -1...315_360_000, "seconds",
        "Time within which people may edit their own message in a group. 0 for never, -1 for always.")
    package static let receiptsDirect = SettingKey<Bool>(
        "messages.receipts_direct", true, "Tell the sender who has read a message to one person, when asked for.")
    package static let receiptsGroup = SettingKey<Bool>(
        "messages.receipts_group", true, "Tell the sender who has read a message in a group, when asked for.")
    package static let reactions = SettingKey<[String]>(
        "messages.reactions", [],
        "Reactions that people may add to messages. Empty: every emoji, and names of letters, digits and _-+.:[].")
    package static let conversationExpiryDays = SettingKey<Int64>(
        "messages.conversation_expiry_days", 0, in: 0...36_500, "days",
        "Time without a message or change after which a conversation is deleted. 0 for never; LeanCloud: 365.")
    package static let reminderDays = SettingKey<Int64>(
        "messages.reminder_days", 180, in: 1...3650, "days",
        "Time for which a reminder (a mention of a person) is kept.")

    package static let hooksURL = SettingKey<String>(
        "hooks.url", "",
        "Address that events are posted to, http:// or https://, such as http://10.0.0.2:8080/teahouse. Empty: none.")
    package static let hooksEvents = SettingKey<[String]>(
        "hooks.events", ["msg.notify", "msg.offline", "user.onlinestatus"], "Events that are posted.")
    package static let hooksSecretFile = SettingKey<String>(
        "hooks.secret_file", "",
        "File with a secret of 16 to 1024 bytes that only teahouse may read; requests are signed with it.")
    package static let hooksCAFile = SettingKey<String>(
        "hooks.ca_file", "", "Certificate authorities (PEM) for receivers over https, besides those of this system.")
    package static let hooksTimeoutSeconds = SettingKey<Int64>(
        "hooks.timeout_seconds", 5, in: 1...60, "seconds",
        "Timeout of one request; a receiver that answers later is asked again.")
    package static let hooksQueueEvents = SettingKey<Int64>(
        "hooks.queue_events", 1_000_000, in: 1_000...100_000_000, "events",
        """
        Maximum number of events that wait for a receiver, about 40 bytes each on the disk; over it the oldest are \
        dropped.
        """)
    package static let hooksGiveUpHours = SettingKey<Int64>(
        "hooks.give_up_hours", 24, in: 1...720, "hours", "Time after which an event that no receiver took is dropped.")

    package static let wukong = SettingKey<Bool>(
        "wukong.enabled", true,
        "Serve WuKongIM clients.")
    package static let wukongCatchUp = SettingKey<String>(
        "wukong.catch_up", "json", choices: ["json", "off"],
        "Send missed messages to JSON sessions right after sign-in; the easy SDKs have no other way to get them.")
    package static let wukongCatchUpMessages = SettingKey<Int64>(
        "wukong.catch_up_messages", 10_000, in: 1...1_000_000, "messages",
        "Maximum number of missed messages sent per conversation; older ones stay in the history.")
    package static let wukongRedeliverySeconds = SettingKey<Int64>(
        "wukong.redelivery_seconds", 60, in: 5...3600, "seconds",
        "Time after which a message without an acknowledgement is sent again.")
    package static let wukongRedeliveryAttempts = SettingKey<Int64>(
        "wukong.redelivery_attempts", 5, in: 1...100, "sendings",
        "Maximum number of times that one message is sent to one session, the first included.")

    package static let wukongAPI = SettingKey<Bool>(
        "wukong.api_enabled", true, "Serve WuKongIM's HTTP API, on the same port.")
    package static let wukongAPIPersonRate = SettingKey<Int64>(
        "wukong.api_requests_per_second", 20, in: 1...1_000_000, "requests per second",
        "Maximum rate of one person's requests over the HTTP API; the manager's token has no rate.")
    package static let wukongAPIPersonBurst = SettingKey<Int64>(
        "wukong.api_request_burst", 1200, in: 1...1_000_000, "requests",
        "Burst size of one person's requests over the HTTP API: apps that start ask for each conversation.")
    package static let wukongAPIAddressRate = SettingKey<Int64>(
        "wukong.api_requests_per_second_per_address", 100, in: 1...1_000_000, "requests per second",
        "Maximum rate of requests from one address without the manager's token. Loopback is exempt.")
    package static let wukongAPIAddressBurst = SettingKey<Int64>(
        "wukong.api_request_burst_per_address", 3000, in: 1...1_000_000, "requests",
        "Burst size of requests from one address: people behind one router start their apps together.")
    package static let wukongAPIWaiting = SettingKey<Int64>(
        "wukong.api_waiting_requests", 512, in: 1...100_000, "requests",
        "Maximum number of requests that wait for their answer, per reactor; one more is answered with 503.")
    package static let wukongRegistration = SettingKey<String>(
        "wukong.registration", "off", choices: ["off", "open"],
        "Accounts over the HTTP API: open lets everybody make one; off leaves it to the operator.")
    package static let wukongTrial = SettingKey<Bool>(
        "wukong.trial", false,
        """
        Let WuKongIM's open demo page sign in from loopback and private addresses without the manager's token, as people \
        that this mode makes. For trials only: everybody on the network can act as those people.
        """)
    package static let wukongTrialPeople = SettingKey<Int64>(
        "wukong.trial_people", 50, in: 1...1000, "people",
        "Maximum number of people that the trial mode makes; one more is refused.")
    package static let wukongTrialChannels = SettingKey<Int64>(
        "wukong.trial_channels", 50, in: 1...1000, "channels",
        "Maximum number of channels that the trial mode makes; one more is refused.")
    package static let wukongDatasource = SettingKey<String>(
        "wukong.datasource", "",
        "Address that is asked for unknown channels, as WuKongIM asks its datasource. Empty: none.")

    package static let storage = SettingKey<String>(
        "storage", "sqlite", choices: ["sqlite"], "Storage of messages.")
    package static let bus = SettingKey<String>(
        "bus", "local", choices: ["local"], "Link between servers; this one is alone.")
    package static let blobs = SettingKey<String>(
        "blobs", "dir", choices: ["dir"],
        "Storage of attachments.")

    package static let historyBeforeJoining = SettingKey<String>(
        "history.before_joining", "all", choices: ["all", "none"],
        """
        History that members see from before they joined, and from times when they were no members: all of it, or \
        none.
        """)

    /// All of them, in the order of the default file.
    package static let all: [SettingDefinition] =
        general + leanCloudKeys + leanCloudDoor + leanCloudFunctions + files + profiles + metrics + backup
        + operators + retention + journal

    private static let general: [SettingDefinition] = [
        listen.definition, data.definition, storage.definition, bus.definition, blobs.definition,
        logLevel.definition, logFormat.definition,
        serverName.definition, confine.definition, reactors.definition, hosts.definition, origins.definition,
        proxies.definition, plainTokens.definition, plainPasswords.definition, clock.definition,
        tls.definition, certificates.definition,
        connections.definition, connectionsPerAddress.definition, unauthenticatedConnections.definition,
        uploadBytesPerSecond.definition,
        frameBytes.definition, bodyBytes.definition, outboxBytes.definition, stallSeconds.definition,
        userRate.definition, userBurst.definition, conversationRate.definition, conversationBurst.definition,
        keptCommandRate.definition, keptCommandBurst.definition,
        commitQueueRequests.definition, commitQueueBytes.definition, searchMilliseconds.definition,
        groupMembers.definition,
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
        wukongTrial.definition, wukongTrialPeople.definition, wukongTrialChannels.definition,
        wukongDatasource.definition,
    ]
}
