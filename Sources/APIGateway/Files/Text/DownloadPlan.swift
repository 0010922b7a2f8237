/// Plan of the answer with a file, made from the file's record and the request's header alone.
///
/// The content is the same behind two names: as it is, and as the stored gzip bytes. A request for a part is always
/// about the content as it is.
///
/// Source: RFC 9110 sections 13 (conditions and their order), 14 (ranges) and 12.5.3 (codings).
enum DownloadPlan: Hashable {
    /// 200 with all of the content as it is.
    case whole(EntityTag)
    /// 200 with the stored gzip bytes.
    case stored(EntityTag)
    /// 206.
    case part(Range<Int64>, EntityTag)
    /// 304.
    case notModified(EntityTag)
    /// 412: the client wants another content.
    case changed
    /// 416.
    case unsatisfiable

    /// The content, as far as the plan depends on it.
    struct Content: Hashable {
        /// Lower-case hexadecimal SHA-256.
        var hash: String
        var size: Int64
        /// True when it is stored as gzip.
        var hasGzip: Bool
    }

    /// The fields of the request that count.
    struct Wishes: Hashable {
        var isHead = false
        var ifMatch: [String] = []
        var ifNoneMatch: [String] = []
        var ifRange: String?
        var range: [String] = []
        var acceptEncoding: [String] = []
    }

    static func make(_ content: Content, _ wishes: Wishes) -> DownloadPlan {
        let plain = EntityTag(content.hash)
        let gzip = EntityTag(content.hash + "-gz")
        if let wanted = EntityTag.List(wishes.ifMatch), !wanted.containsStrongly(plain), !wanted.containsStrongly(gzip)
        {
            return .changed
        }
        let asksForPart = !wishes.isHead && !wishes.range.isEmpty
        let sendsGzip = content.hasGzip && !asksForPart && AcceptedCoding.takesGzip(wishes.acceptEncoding)
        let chosen = sendsGzip ? gzip : plain
        if let known = EntityTag.List(wishes.ifNoneMatch), known.containsWeakly(chosen) { return .notModified(chosen) }
        if asksForPart, wishes.range.count == 1, Self.isFresh(wishes.ifRange, plain) {
            switch ByteRange.read(wishes.range[0], size: content.size) {
            case .part(let range): return .part(range, plain)
            case .unsatisfiable: return .unsatisfiable
            case .ignored: break
            }
        }
        return sendsGzip ? .stored(gzip) : .whole(plain)
    }

    /// True when the content is still the one of which the client has a part. A date never is: none is sent.
    private static func isFresh(_ ifRange: String?, _ tag: EntityTag) -> Bool {
        guard let ifRange else { return true }
        return EntityTag(field: ifRange) == tag
    }
}
