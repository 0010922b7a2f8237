package import APIKit
import ChatModel
import Execution
package import Transfers

/// Settings of the routes for files.
package struct FileRouteSettings: Sendable {
    /// Maximum bytes of one file, which clients can read; 0 for no bound.
    package var fileBytes: Int64 = 4 << 30
    /// True when a link works without a session.
    package var servesLinks = true
    /// Requests of one reactor that are being worked on; one more is answered with 503.
    package var openRequests = 1024

    package init() {}
}

/// Context that the file gateways of all reactors share.
package final class FilesContext: Sendable {
    let api: APIContext
    let transfers: Transfers
    let settings: FileRouteSettings
    let media = MediaMemory()

    package init(api: APIContext, transfers: Transfers, settings: FileRouteSettings) {
        self.api = api
        self.transfers = transfers
        self.settings = settings
    }

    var services: APIServices { self.api.services }
}

/// Remembers as what contents are shown, so that their first bytes are not read for every request. Any thread.
final class MediaMemory: Sendable {
    private struct Key: Hashable {
        var hash: ContentHash
        var declared: String
    }

    /// Maximum contents; at the bound all are dropped and read again.
    private static let maximumEntries = 4096

    private let entries = Lock([Key: SafeMedia]())

    func find(_ hash: ContentHash, declared: String) -> SafeMedia? {
        self.entries.withLock { $0[Key(hash: hash, declared: declared)] }
    }

    func remember(_ media: SafeMedia, _ hash: ContentHash, declared: String) {
        self.entries.withLock { entries in
            if entries.count >= Self.maximumEntries { entries.removeAll(keepingCapacity: true) }
            entries[Key(hash: hash, declared: declared)] = media
        }
    }
}
