import Execution
import Glibc
import HTTPClient

/// Fetches one content from its address into the folder, and goes on in the middle of one that was broken off. Confined
/// to its thread. The app's keys are never sent along.
final class ContentFetch {
    private static let mostRedirects = 5
    private static let mostAttempts = 5
    /// Contents from this size on are gone on with; smaller ones begin anew.
    private static let resumableBytes: Int64 = 1 << 20

    private let folder: PullFolder
    private let client: BlockingHTTPClient
    private let cancellation: HTTPCancellation

    init(_ options: PullOptions, isSourcePrivate: Bool, _ cancellation: HTTPCancellation) throws(PullError) {
        self.folder = PullFolder(path: options.folder)
        self.cancellation = cancellation
        var client = HTTPClientOptions()
        client.connectMilliseconds = 15_000
        client.caFile = options.caFile
        // Addresses come from rows that an app's clients wrote: what a stranger names is not fetched from inside here.
        client.rule = options.privateFiles || isSourcePrivate ? AddressRule() : .publicAddresses
        do throws(HTTPClientError) {
            self.client = try BlockingHTTPClient(client, cancellation: cancellation)
        } catch {
            throw .notLeanCloud(error.description)
        }
    }

    private enum Outcome {
        case received(bytes: Int64, sha256: String, md5: String)
        case redirected(HTTPAddress)
        case over(FileEntry.State, String)
        case again(String)
    }

    /// - Throws: `disk`, `stopped`; anything else stands in the entry.
    func fetch(_ plan: FilePlan) throws(PullError) -> FileEntry {
        var address: HTTPAddress
        do throws(HTTPClientError) { address = try Self.address(plan.url) } catch {
            return FileEntry(plan, .refused, why: error.description)
        }
        var (attempts, redirects, differences) = (0, 0, 0)
        while true {
            switch try self.once(plan, address) {
            case .received(let bytes, let sha256, let md5):
                let difference = Self.difference(plan, bytes, md5)
                if difference != nil, differences == 0 {
                    differences = 1
                    try self.forget(plan)
                    continue
                }
                return try self.keep(plan, bytes, sha256, difference)
            case .redirected(let next):
                redirects += 1
                guard redirects <= Self.mostRedirects else {
                    return FileEntry(plan, .failed, why: "too many redirects")
                }
                address = next
            case .over(let state, let why): return FileEntry(plan, state, why: why)
            case .again(let why):
                attempts += 1
                guard attempts < Self.mostAttempts else { return FileEntry(plan, .failed, why: why) }
                let pause = (Int64(250) << attempts) + Int64.random(in: 0..<250)
                if self.cancellation.wait(milliseconds: pause) { throw .stopped }
            }
        }
    }

    /// An address as apps write it: with characters that have to be escaped, and perhaps a fragment.
    static func address(_ text: String) throws(HTTPClientError) -> HTTPAddress {
        var escaped: [UInt8] = []
        for byte in text.utf8 {
            if byte == UInt8(ascii: "#") { break }
            if byte > 0x20 && byte < 0x7F {
                escaped.append(byte)
            } else {
                escaped += Array((byte < 0x10 ? "%0" : "%").utf8) + Array(String(byte, radix: 16, uppercase: true).utf8)
            }
        }
        return try HTTPAddress(String(decoding: escaped, as: UTF8.self))
    }

    /// Difference between a content and its row; `nil` when they agree.
    static func difference(_ plan: FilePlan, _ bytes: Int64, _ md5: String) -> String? {
        if let size = plan.size, size != bytes { return "\(bytes) bytes, its row says \(size)" }
        if let wanted = plan.md5, wanted != md5 { return "MD5 \(md5), its row says \(wanted)" }
        return nil
    }

    // MARK: One request

    private func partPath(_ plan: FilePlan) -> String { "\(self.folder.work)/files/\(plan.objectID).part" }
    private func tagPath(_ plan: FilePlan) -> String { "\(self.folder.work)/files/\(plan.objectID).tag" }

    private func forget(_ plan: FilePlan) throws(PullError) {
        try Disk.remove(self.partPath(plan))
        try Disk.remove(self.tagPath(plan))
    }

    /// Receiver of one content's bytes.
    private final class ContentReceiver {
        let path: String
        let tagPath: String
        var kept: Int64
        var file: OutputFile?
        var sha256 = Digest(.sha256)
        var md5 = Digest(.md5)
        var failure: PullError?

        init(_ path: String, _ tagPath: String, kept: Int64) {
            self.path = path
            self.tagPath = tagPath
            self.kept = kept
        }

        func takePiece(_ head: HTTPResponse, _ piece: [UInt8]) throws(PullError) {
            if self.file == nil { try self.beginFile(head) }
            self.sha256.update(piece)
            self.md5.update(piece)
            try self.file?.write(piece)
        }

        func beginFile(_ head: HTTPResponse) throws(PullError) {
            if head.status == 206, self.kept > 0 {
                if let old = try InputFile(self.path) {
                    var left = self.kept
                    while left > 0 {
                        let piece = try old.read().prefix(Int(clamping: left))
                        if piece.isEmpty { break }
                        self.sha256.update(piece)
                        self.md5.update(piece)
                        left -= Int64(piece.count)
                    }
                }
            } else {
                self.kept = 0
                try Disk.remove(self.tagPath)
                let length = head.field("content-length").flatMap { Int64($0) } ?? 0
                if let tag = head.field("etag"), !tag.hasPrefix("W/"), length >= ContentFetch.resumableBytes {
                    try Disk.write(Array(tag.utf8), to: self.tagPath)
                }
            }
            self.file = try OutputFile(self.path, keeping: self.kept)
        }
    }

    private func once(_ plan: FilePlan, _ address: HTTPAddress) throws(PullError) -> Outcome {
        var request = HTTPRequestToSend(.get, address, timeoutMilliseconds: 24 * 3_600_000)
        request.idleMilliseconds = 60_000
        request.responseBytes = .max
        request.fields = [("Accept-Encoding", "identity")]
        var kept: Int64 = 0
        if let size = Disk.size(self.partPath(plan)), size >= Self.resumableBytes,
            let tag = try Disk.read(self.tagPath(plan))
        {
            kept = size
            request.fields.append(("Range", "bytes=\(size)-"))
            request.fields.append(("If-Range", String(decoding: tag, as: UTF8.self)))
        }
        let receiver = ContentReceiver(self.partPath(plan), self.tagPath(plan), kept: kept)
        let result = self.client.perform(request) { head, piece in
            do throws(PullError) {
                if head.status == 206, kept == 0 || !Self.continues(head, at: kept) { return false }
                try receiver.takePiece(head, piece)
                return true
            } catch {
                receiver.failure = error
                return false
            }
        }
        if let failure = receiver.failure { throw failure }
        switch result {
        case .failure(.stopped) where self.cancellation.isCancelled:
            try receiver.file?.finish()
            throw .stopped
        case .failure(.refusedAddress(_, _, let reason)): return .over(.refused, reason)
        case .failure(let error):
            if kept > 0, receiver.file == nil { try self.forget(plan) }
            try receiver.file?.finish()
            return .again(error.description)
        case .success(let response): return try self.outcome(response, receiver, plan, address)
        }
    }

    /// True when a part begins at the requested offset. Source: RFC 9110 section 14.4.
    private static func continues(_ head: HTTPResponse, at offset: Int64) -> Bool {
        head.field("content-range")?.hasPrefix("bytes \(offset)-") ?? false
    }

    private func outcome(
        _ response: HTTPResponse, _ receiver: ContentReceiver, _ plan: FilePlan, _ address: HTTPAddress
    ) throws(PullError) -> Outcome {
        switch response.status {
        case 200, 206:
            // An empty content has no piece.
            if receiver.file == nil { try receiver.beginFile(response) }
            guard let file = receiver.file else { return .again("nothing came") }
            try file.finish()
            return .received(bytes: file.count, sha256: receiver.sha256.finish(), md5: receiver.md5.finish())
        case 301, 302, 303, 307, 308:
            guard let location = response.field("location"),
                let next = try? Self.address(location, from: address)
            else { return .over(.failed, "HTTP \(response.status) without a place to go to") }
            return .redirected(next)
        case 404, 410: return .over(.gone, "HTTP \(response.status)")
        case 416:
            try self.forget(plan)
            return .again("HTTP 416")
        case 408, 429, 500...599: return .again("HTTP \(response.status)")
        default: return .over(.failed, "HTTP \(response.status)")
        }
    }

    private static func address(_ location: String, from address: HTTPAddress) throws(HTTPClientError) -> HTTPAddress {
        location.hasPrefix("/") ? try address.following(location: location) : try Self.address(location)
    }

    private func keep(
        _ plan: FilePlan, _ bytes: Int64, _ sha256: String, _ difference: String?
    ) throws(PullError) -> FileEntry {
        let path = "\(self.folder.path)/\(plan.path)"
        try Disk.makeFolder(String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]))
        try Disk.rename(self.partPath(plan), to: path)
        try Disk.remove(self.tagPath(plan))
        var entry = FileEntry(plan, difference == nil ? .saved : .differs, why: difference ?? "")
        entry.path = plan.path
        entry.bytes = bytes
        entry.sha256 = sha256
        return entry
    }
}
