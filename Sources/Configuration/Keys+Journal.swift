/// The journal of sign-ins.
extension Keys {
    package static let journalDays = SettingKey<Int64>(
        "journal.days", 90, in: 0...3650, "days",
        "Time that sign-ins and refusals are kept, with person, address and device; 0 for no journal.")
    package static let journalBytes = SettingKey<Int64>(
        "journal.bytes", 256 << 20, in: 8388608...1099511627776, "bytes",
        "Maximum size of the journal of sign-ins; the oldest days go before it is reached.")

    static let journal: [SettingDefinition] = [journalDays.definition, journalBytes.definition]
}
