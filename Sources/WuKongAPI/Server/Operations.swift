import ByteCodec

/// What operators and load balancers ask.
enum Operations {
    @Sendable static func health(_ request: APIRequest, _ house: APIHouse, _ reply: @escaping APIReply) {
        reply(.json(.object([JSONValue.Member("status", .string("ok"))])))
    }
}
