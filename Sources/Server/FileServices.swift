package import APIGateway
import ChatModel
import Configuration
package import FileStore
package import Store
package import Transfers

/// Where files are kept, and what of them an operator may set.
package struct FileOptions: Sendable {
    /// Options of the transfers.
    package var transfers = TransferOptions()
    package var routes = FileRouteSettings()
    /// A folder elsewhere that takes new files; `nil` for the data folder.
    package var directory: String?
    /// Faults that tests inject into the folder in the data folder.
    package var faults = FileStoreFaults()

    package init() {}
}

extension TeahouseServer {
    /// The folder of the built-in provider.
    static func filesFolder(_ options: ServerOptions) -> String { options.store.folder + "/files" }

    /// The engine of uploads and downloads. The data folder is read in any case: files that were put there before a
    /// folder elsewhere was configured stay there.
    package static func makeTransfers(_ options: ServerOptions, store: Store) throws(ServerError) -> Transfers {
        do throws(FileStoreError) {
            var providers: [any FileProvider] = [
                try ObjectFolder(Self.filesFolder(options), faults: options.files.faults)
            ]
            if let directory = options.files.directory {
                providers.insert(try ObjectFolder(directory, .directory), at: 0)
            }
            return Transfers(
                store: store, providers: providers, options: options.files.transfers, clock: options.clock,
                log: options.log)
        } catch {
            throw .files(error)
        }
    }
}

extension ServerOptions {
    mutating func applyFiles(_ settings: Settings) {
        var limits = FileLimits()
        limits.fileBytes = settings[Keys.filesFileBytes]
        limits.personBytes = settings[Keys.filesPersonBytes]
        limits.allBytes = settings[Keys.filesAllBytes]
        limits.dayBytes = settings[Keys.filesDayBytes]
        limits.hourUploads = settings[Keys.filesHourUploads]
        limits.openUploads = settings[Keys.filesOpenUploads]
        limits.idleHours = settings[Keys.filesIdleHours]
        limits.unreferencedHours = settings[Keys.filesUnreferencedHours]
        limits.makesLinks = settings[Keys.filesSDKLinks]
        self.store.files = limits
        self.files.transfers.fileBytes = limits.fileBytes
        self.files.transfers.stopUploadsFreeBytes = settings[Keys.filesStopFreeBytes]
        self.files.transfers.stopUploadsFreePercent = settings[Keys.filesStopFreePercent]
        self.files.transfers.scrubBytesPerSecond = settings[Keys.filesScrubRate]
        self.files.transfers.scrubMilliseconds = settings[Keys.filesScrubDays] * 86_400_000
        self.files.transfers.caps = [
            .attachment: BandwidthCap(
                uploadBytesPerSecond: settings[Keys.filesAttachmentUploadRate],
                downloadBytesPerSecond: settings[Keys.filesAttachmentDownloadRate]),
            .avatar: BandwidthCap(
                uploadBytesPerSecond: settings[Keys.filesAvatarUploadRate],
                downloadBytesPerSecond: settings[Keys.filesAvatarDownloadRate]),
            .operator: BandwidthCap(
                uploadBytesPerSecond: settings[Keys.filesOperatorUploadRate],
                downloadBytesPerSecond: settings[Keys.filesOperatorDownloadRate]),
        ]
        self.files.routes.fileBytes = limits.fileBytes
        self.files.routes.servesLinks = limits.makesLinks
        let url = settings[Keys.filesPublicURL]
        self.publicURL = url.isEmpty ? nil : url.hasSuffix("/") ? String(url.dropLast()) : url
        let directory = settings[Keys.filesDirectory]
        self.files.directory = directory.isEmpty ? nil : directory
    }
}
