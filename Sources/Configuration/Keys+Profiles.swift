/// Profiles of people, and the business server that may be asked for them.
extension Keys {
    package static let profilesURL = SettingKey<String>(
        "profiles.url", "",
        "An existing user system that is asked who people are, http:// or https://. Empty: nobody is asked.")
    package static let profilesFields = SettingKey<[String]>(
        "profiles.fields",
        [
            "id=id", "display_name=display_name", "avatar=avatar", "avatar_small=avatar_small",
            "external_id=external_id",
        ],
        "What that system calls the fields of a person, OURS=THEIRS.")
    package static let profilesSecretFile = SettingKey<String>(
        "profiles.secret_file", "",
        "A file with a secret of 16 to 1024 bytes that signs questions to the user system, and its news to us."
    )
    package static let profilesTimeoutMilliseconds = SettingKey<Int64>(
        "profiles.timeout_milliseconds", 3_000, in: 100...60_000, "milliseconds",
        "For one question; people are shown by what is known here until the answer comes.")
    package static let profilesBatch = SettingKey<Int64>(
        "profiles.batch", 100, in: 1...1000, "people", "Asked for in one question.")
    package static let profilesTTLSeconds = SettingKey<Int64>(
        "profiles.ttl_seconds", 300, in: 1...604_800, "seconds",
        "How long an answer is believed when it does not say so itself.")
    package static let profilesNegativeTTLSeconds = SettingKey<Int64>(
        "profiles.negative_ttl_seconds", 30, in: 1...86_400, "seconds", "How long somebody stays unknown.")
    package static let profilesCacheEntries = SettingKey<Int64>(
        "profiles.cache_entries", 50_000, in: 100...10_000_000, "people", "Kept in memory.")
    package static let profilesCacheBytes = SettingKey<Int64>(
        "profiles.cache_bytes", 16 << 20, in: 65_536...(1 << 34), "bytes", "Of their profiles in memory.")
    package static let profilesVisibleTo = SettingKey<String>(
        "profiles.visible_to", "everybody", choices: ["everybody", "acquainted"],
        "Whose profiles a person may look up: everybody's, or those of friends and of who shares a conversation.")

    static let profiles: [SettingDefinition] = [
        profilesURL.definition, profilesFields.definition, profilesSecretFile.definition,
        profilesTimeoutMilliseconds.definition, profilesBatch.definition, profilesTTLSeconds.definition,
        profilesNegativeTTLSeconds.definition, profilesCacheEntries.definition, profilesCacheBytes.definition,
        profilesVisibleTo.definition,
    ]
}
