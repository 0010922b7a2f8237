// The cloud functions of LeanCloud's apps.
extension Keys {
    package static let leanCloudHooksURL = SettingKey<String>(
        "leancloud.hooks_url", "",
        """
        Address of the app's cloud functions, http:// or https://; /1.1/functions/NAME is added. Empty: none are \
        called.
        """)
    package static let leanCloudHooks = SettingKey<[String]>(
        "leancloud.hooks",
        [
            "_messageReceived", "_messageSent", "_messageUpdate", "_receiversOffline", "_conversationStart",
            "_conversationStarted", "_conversationAdd", "_conversationAdded", "_conversationRemove",
            "_conversationRemoved", "_conversationUpdate", "_clientOnline", "_clientOffline", "_rtmClientSign",
        ], "Functions that are called.")
    package static let leanCloudHooksKeyFile = SettingKey<String>(
        "leancloud.hooks_key_file", "",
        "File with a key of 16 to 1024 bytes that only teahouse may read; calls carry it as X-LC-Hook-Key.")
    package static let leanCloudHooksTimeoutSeconds = SettingKey<Int64>(
        "leancloud.hooks_timeout_seconds", 5, in: 1...60, "seconds", "Time within which a function must answer.")
    package static let leanCloudHooksOnFailure = SettingKey<String>(
        "leancloud.hooks_on_failure", "ignore", choices: ["ignore", "reject"],
        "Action when a function does not answer a question: let the event happen, or refuse it.")

    static let leanCloudFunctions: [SettingDefinition] = [
        leanCloudHooksURL.definition, leanCloudHooks.definition, leanCloudHooksKeyFile.definition,
        leanCloudHooksTimeoutSeconds.definition, leanCloudHooksOnFailure.definition,
    ]
}
