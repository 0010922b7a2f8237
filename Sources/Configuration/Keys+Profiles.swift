/// Profiles of people, and the business server that may be asked for them.
extension Keys {
    package static let profilesURL = SettingKey<String>(
        "profiles.url", "",
        "Address of an existing user system that is asked for profiles, http:// or https://. Empty: none is asked.")
    package static let profilesFields = SettingKey<[String]>(
        "profiles.fields",
        [
            "id=id", "display_name=display_name", "avatar=avatar", "avatar_small=avatar_small",
            "external_id=external_id",
        ], "Names of a person's fields in that system, OURS=THEIRS.")
    package static let profilesSecretFile = SettingKey<String>(
        "profiles.secret_file", "",
        "File with a secret of 16 to 1024 bytes that signs requests to the user system, and its notifications to us.")
    package static let profilesTimeoutMilliseconds = SettingKey<Int64>(
        "profiles.timeout_milliseconds", 3_000, in: 100...60_000, "milliseconds",
        "Timeout of one request; until the answer arrives people are shown with the profile stored here.")
    package static let profilesBatch = SettingKey<Int64>(
        "profiles.batch", 100, in: 1...1000, "people", "Maximum number of people in one request.")
    package static let profilesTTLSeconds = SettingKey<Int64>(
        "profiles.ttl_seconds", 300, in: 1...604_800, "seconds",
        "Time to live of an answer that does not state its own.")
    package static let profilesNegativeTTLSeconds = SettingKey<Int64>(
        "profiles.negative_ttl_seconds", 30, in: 1...86_400, "seconds",
        "Time for which an unknown person is not asked for again.")
    package static let profilesCacheEntries = SettingKey<Int64>(
        "profiles.cache_entries", 50_000, in: 100...10_000_000, "people",
        "Maximum number of people in the profile cache.")
    package static let profilesCacheBytes = SettingKey<Int64>(
        "profiles.cache_bytes", 16 << 20, in: 65_536...(1 << 34), "bytes", "Maximum size of the profile cache.")
    package static let profilesVisibleTo = SettingKey<String>(
        "profiles.visible_to", "everybody", choices: ["everybody", "acquainted"],
        "Profiles that a person may look up: everybody's, or those of friends and of people in the same conversations.")

    static let profiles: [SettingDefinition] = [
        profilesURL.definition, profilesFields.definition, profilesSecretFile.definition,
        profilesTimeoutMilliseconds.definition, profilesBatch.definition, profilesTTLSeconds.definition,
        profilesNegativeTTLSeconds.definition, profilesCacheEntries.definition, profilesCacheBytes.definition,
        profilesVisibleTo.definition,
    ]
}
