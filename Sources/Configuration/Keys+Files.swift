/// Attachments and pictures.
extension Keys {
    package static let filesFileBytes = SettingKey<Int64>(
        "files.file_bytes", 4 << 30, in: 1024...(1 << 40), "bytes", "Maximum size of one file.")
    package static let filesPersonBytes = SettingKey<Int64>(
        "files.person_bytes", 10 << 30, in: 0...(1 << 50), "bytes",
        "Maximum size of all files of one person, unfinished uploads included; 0 for no bound.")
    package static let filesAllBytes = SettingKey<Int64>(
        "files.all_bytes", 0, in: 0...(1 << 60), "bytes", "Maximum size of all files together; 0 for no bound.")
    package static let filesDayBytes = SettingKey<Int64>(
        "files.day_bytes", 4 << 30, in: 0...(1 << 50), "bytes",
        "Maximum size of the uploads that one person may begin within 24 hours; 0 for no bound.")
    package static let filesHourUploads = SettingKey<Int64>(
        "files.hour_uploads", 200, in: 0...1_000_000, "uploads",
        "Maximum number of uploads that one person may begin within an hour; 0 for no bound.")
    package static let filesOpenUploads = SettingKey<Int64>(
        "files.open_uploads", 8, in: 1...1000, "uploads", "Maximum number of unfinished uploads of one person.")
    package static let filesIdleHours = SettingKey<Int64>(
        "files.idle_hours", 24, in: 1...720, "hours", "Time without progress after which an upload is given up.")
    package static let filesUnreferencedHours = SettingKey<Int64>(
        "files.unreferenced_hours", 24, in: 1...8760, "hours",
        "Time after which a file that no message and no picture refers to is deleted.")
    package static let filesStopFreeBytes = SettingKey<Int64>(
        "files.stop_free_bytes", 1 << 30, in: 0...(1 << 50), "bytes",
        "Minimum free space: below it uploads are refused; messages go on until store.stop_writing_free_bytes.")
    package static let filesStopFreePercent = SettingKey<Int64>(
        "files.stop_free_percent", 5, in: 0...50, "percent",
        "Minimum free space for uploads as a share of the disk; the larger of the two bounds counts.")
    package static let filesSDKLinks = SettingKey<Bool>(
        "files.sdk_links", true,
        "Give links to apps that show no session when they fetch a file: everybody who has a link can read the file.")
    package static let filesPublicURL = SettingKey<String>(
        "files.public_url", "",
        """
        Address under which apps reach this server for files, such as https://chat.lan:7677. Empty: the address of \
        their request.
        """)
    package static let filesDirectory = SettingKey<String>(
        "files.directory", "",
        "Folder elsewhere, such as a mounted share, for new files, stored uncompressed. Empty: DATA/files, compressed.")
    package static let filesAttachmentUploadRate = SettingKey<Int64>(
        "files.attachment_upload_bytes_per_second", 0, in: 0...(1 << 40), "bytes per second",
        "Maximum rate of all attachment uploads together; 0 for no cap.")
    package static let filesAttachmentDownloadRate = SettingKey<Int64>(
        "files.attachment_download_bytes_per_second", 0, in: 0...(1 << 40), "bytes per second",
        "Maximum rate of all attachment downloads together; 0 for no cap.")
    package static let filesAvatarUploadRate = SettingKey<Int64>(
        "files.avatar_upload_bytes_per_second", 0, in: 0...(1 << 40), "bytes per second",
        "Maximum rate of all uploads of people's and groups' pictures together; 0 for no cap.")
    package static let filesAvatarDownloadRate = SettingKey<Int64>(
        "files.avatar_download_bytes_per_second", 0, in: 0...(1 << 40), "bytes per second",
        "Maximum rate of all downloads of people's and groups' pictures together; 0 for no cap.")
    package static let filesOperatorUploadRate = SettingKey<Int64>(
        "files.operator_upload_bytes_per_second", 0, in: 0...(1 << 40), "bytes per second",
        "Maximum rate of uploads by teahouse ctl; 0 for no cap.")
    package static let filesOperatorDownloadRate = SettingKey<Int64>(
        "files.operator_download_bytes_per_second", 0, in: 0...(1 << 40), "bytes per second",
        "Maximum rate of downloads by business servers with the manager's token; 0 for no cap.")
    package static let filesScrubRate = SettingKey<Int64>(
        "files.scrub_bytes_per_second", 4 << 20, in: 0...(1 << 40), "bytes per second",
        "Rate at which files are read again and checked in the background; 0 switches the check off.")
    package static let filesScrubDays = SettingKey<Int64>(
        "files.scrub_days", 30, in: 1...3650, "days", "Time after which a file is checked again.")

    static let files: [SettingDefinition] = [
        filesFileBytes.definition, filesPersonBytes.definition, filesAllBytes.definition, filesDayBytes.definition,
        filesHourUploads.definition, filesOpenUploads.definition, filesIdleHours.definition,
        filesUnreferencedHours.definition, filesStopFreeBytes.definition, filesStopFreePercent.definition,
        filesSDKLinks.definition, filesPublicURL.definition, filesDirectory.definition,
        filesAttachmentUploadRate.definition, filesAttachmentDownloadRate.definition,
        filesAvatarUploadRate.definition, filesAvatarDownloadRate.definition,
        filesOperatorUploadRate.definition, filesOperatorDownloadRate.definition,
        filesScrubRate.definition, filesScrubDays.definition,
    ]
}
