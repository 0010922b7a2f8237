/// Why a request was not met, or part of it.
package struct ErrorCommand: ProtobufMessage {
    /// Error code.
    package var code: Int32 = 0
    /// The constant's name, such as `SIGNATURE_FAILED`: apps compare it.
    package var reason: String = ""
    /// The app's own code, from a hook.
    package var appCode: Int32?
    /// Text for a developer, in English.
    package var detail: String?
    /// The clients it is about, in `failedPids`.
    package var pids: [String] = []
    /// The app's own words, from a hook.
    package var appMsg: String?

    package init() {}

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        try fields.required(1, "code", &self.code)
        try fields.required(2, "reason", &self.reason)
        try fields.optional(3, "appCode", &self.appCode)
        try fields.optional(4, "detail", &self.detail)
        try fields.repeated(5, "pids", &self.pids)
        try fields.optional(6, "appMsg", &self.appMsg)
    }
}
