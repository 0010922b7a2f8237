import APIKit
import Accounts
import Transport

/// Finds out who asks from the keys that a request shows.
///
/// `X-LC-Id` with `X-LC-Key`, which is the app key or `key,master`, or with `X-LC-Sign`; the older names of the same.
/// Source: LeanCloud REST guide, "Request format", and its older edition for the names of AVOS Cloud.
enum AppCaller {
    /// - Parameter now: UTC milliseconds.
    /// - Throws: 401 for who may not ask this.
    static func prove(
        _ request: HTTPRequest, _ access: RouteAccess, keys: ApplicationKeys, mayShowSecrets: Bool, now: Int64
    ) throws(APIFailure) -> APICaller {
        let shown = ShownKeys(request.headers)
        if access == .anyone, !shown.isThere { return .anyone }
        guard let appID = shown.appID, appID == keys.appID, let caller = shown.caller(keys, now: now) else {
            throw Self.unauthorized
        }
        if caller == .master, shown.holdsMasterKey, !mayShowSecrets {
            throw APIFailure(401, "the master key is taken over https only from there", code: 401)
        }
        if access == .manager, caller != .master {
            throw APIFailure(401, "this needs the master key", code: 119)
        }
        return caller == .master ? .manager : .app
    }

    /// In LeanCloud's own words, which people search for. It does not say which of the two is wrong.
    private static let unauthorized = APIFailure(401, "Unauthorized.", code: 401)
}

/// The header fields with an app's id and keys.
private struct ShownKeys {
    let appID: String?
    private let key: String?
    private let sign: String?
    private let oldAppKey: String?
    private let oldMasterKey: String?

    init(_ headers: HTTPHeaders) {
        self.appID = headers["x-lc-id"] ?? headers["x-avoscloud-application-id"]
        self.key = headers["x-lc-key"]
        self.sign = headers["x-lc-sign"] ?? headers["x-avoscloud-request-sign"]
        self.oldAppKey = headers["x-avoscloud-application-key"]
        self.oldMasterKey = headers["x-avoscloud-master-key"]
    }

    var isThere: Bool {
        self.appID != nil || self.key != nil || self.sign != nil || self.oldAppKey != nil || self.oldMasterKey != nil
    }

    /// True when the master key itself crosses the connection, and not only a signature that was made with it.
    var holdsMasterKey: Bool { self.oldMasterKey != nil || self.key?.contains(",") == true }

    /// The first that is shown counts; a wrong one is not made good by another.
    func caller(_ keys: ApplicationKeys, now: Int64) -> ApplicationKeys.Caller? {
        if let key { return keys.verifyRESTKey(key) }
        if let sign { return keys.verifyRESTSign(sign, now: now) }
        if let oldMasterKey { return keys.matchesMasterKey(oldMasterKey) ? .master : nil }
        if let oldAppKey { return keys.matchesAppKey(oldAppKey) ? .client : nil }
        return nil
    }
}

extension APIFailure {
    /// - Parameter code: LeanCloud's number for it.
    init(_ status: Int, _ message: String, code: Int32) {
        self.init(status, message)
        self.code = code
    }
}
