/// Backups that the server makes by itself.
extension Keys {
    package static let backupHours = SettingKey<Int64>(
        "backup.every_hours", 0, in: 0...8760, "hours",
        "Time between two backups that the server makes by itself; 0 for none.")
    package static let backupDirectory = SettingKey<String>(
        "backup.directory", "",
        """
        Folder for these backups, best on another disk; the server must be allowed to write there. Empty: DATA/backups, \
        which helps against mistakes and not against a broken disk.
        """)
    package static let backupKeepNewest = SettingKey<Int64>(
        "backup.keep_newest", 3, in: 1...1000, "backups", "Newest backups that are kept in any case.")
    package static let backupKeepDays = SettingKey<Int64>(
        "backup.keep_days", 7, in: 0...3650, "days", "Days of which the newest backup of each is kept.")
    package static let backupKeepWeeks = SettingKey<Int64>(
        "backup.keep_weeks", 4, in: 0...520, "weeks", "Weeks of which the newest backup of each is kept.")
    package static let backupRate = SettingKey<Int64>(
        "backup.bytes_per_second", 64 << 20, in: 0...(1 << 40), "bytes per second",
        "Maximum rate at which the database is copied for a backup, also for ctl; 0 for no cap.")

    static let backup: [SettingDefinition] = [
        backupHours.definition, backupDirectory.definition, backupKeepNewest.definition, backupKeepDays.definition,
        backupKeepWeeks.definition, backupRate.definition,
    ]
}
