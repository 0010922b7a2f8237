/// Questions about the journal of sign-ins.
package struct AdminSignInQuery: AdminRecord {
    /// Name of the person; `nil` for everybody.
    package var user: String?
    /// Address of the peer; `nil` for all.
    package var address: String?
    /// Result: `signed_in`, `wrong_credentials` and so on; `nil` for all.
    package var result: String?
    /// Earliest time, UTC milliseconds.
    package var sinceMilliseconds: Int64?
    /// Time after the latest one, UTC milliseconds.
    package var untilMilliseconds: Int64?
    /// Only entries with lower numbers.
    package var before: Int64?
    /// Entries of the page at most.
    package var limit: Int64 = 50

    package init() {}

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.user = try fields("user", \.user)
        self.address = try fields("address", \.address)
        self.result = try fields("result", \.result)
        self.sinceMilliseconds = try fields("since", \.sinceMilliseconds)
        self.untilMilliseconds = try fields("until", \.untilMilliseconds)
        self.before = try fields("before", \.before)
        self.limit = try fields("limit", \.limit)
        let limit = self.limit
        try fields.check((1...Int64(AdminProtocol.pageRows)).contains(limit), "limit")
    }
}

/// An entry of the journal of sign-ins.
package struct AdminSignIn: AdminRecord {
    /// Number of the entry.
    package var number: Int64
    /// Time, UTC milliseconds; the newest one of a sum.
    package var atMilliseconds: Int64
    /// Kind: `sign_in`, `sum`, `left_out`, `mended`, `removed`.
    package var kind: String
    /// Name of the person, as it was given.
    package var user: String?
    /// Address of the peer.
    package var address: String?
    /// Class of the device.
    package var device: String?
    /// Gateway.
    package var gateway: String?
    /// Kind of the credentials.
    package var credentials: String?
    /// `signed_in`, or why not.
    package var result: String?
    /// Why the credentials were wrong.
    package var reason: String?
    /// Attempts of a sum, attempts left out, bytes set aside, or files removed.
    package var count: Int64?

    package init(number: Int64, atMilliseconds: Int64, kind: String) {
        self.number = number
        self.atMilliseconds = atMilliseconds
        self.kind = kind
    }

    /// The entry as one JSON object, for scripts.
    package var json: [UInt8] { self.object }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.number = try fields("number", \.number)
        self.atMilliseconds = try fields("at", \.atMilliseconds)
        self.kind = try fields("kind", \.kind)
        self.user = try fields("user", \.user)
        self.address = try fields("address", \.address)
        self.device = try fields("device", \.device)
        self.gateway = try fields("gateway", \.gateway)
        self.credentials = try fields("with", \.credentials)
        self.result = try fields("result", \.result)
        self.reason = try fields("reason", \.reason)
        self.count = try fields("count", \.count)
    }
}

/// Result of a check of the journal's chain.
package struct AdminSignInCheck: AdminRecord {
    /// Number of the first entry that is kept; 0 for an empty journal.
    package var first: Int64
    /// Number of the newest entry.
    package var last: Int64
    /// Hash of the newest entry, in hexadecimal.
    package var hash: String
    /// Ends of files that were set aside after power cuts.
    package var mended: Int64
    /// Problems, one sentence each; empty when the chain is intact.
    package var problems: [String]

    package init(first: Int64, last: Int64, hash: String, mended: Int64, problems: [String]) {
        self.first = first
        self.last = last
        self.hash = hash
        self.mended = mended
        self.problems = problems
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.first = try fields("first", \.first)
        self.last = try fields("last", \.last)
        self.hash = try fields("hash", \.hash)
        self.mended = try fields("mended", \.mended)
        self.problems = try fields("problems", \.problems)
    }
}
