import Testing

@testable import APIKit

struct RouterTests {
    static let handler: APIHandler = { _, _, reply in reply(.ok) }
    static let router = Router(
        [
            Route("POST", "/user/token", .manager, Self.handler),
            Route("GET", "/route", .anyone, Self.handler),
            Route("GET", "/v1/channels/{id}/{type}", .session, Self.handler),
            Route("DELETE", "/v1/channels/{id}/{type}", .session, Self.handler),
            Route("GET", "/v1/lists/{id}/count", .session, Self.handler),
            Route("DELETE", "/v1/lists/{id}/{person}", .session, Self.handler),
        ],
        notServed: [
            NotServed("/tags", "there are none"), NotServed("/plugins/", "plugins run inside WuKongIM"),
        ])

    private func refusal(_ method: String, _ path: String) -> APIFailure? {
        guard case .refused(let failure) = Self.router.find(method, path) else { return nil }
        return failure
    }

    @Test("a path without names is found by itself", arguments: ["GET", "HEAD"])
    func fixed(method: String) {
        guard case .route(let route, let parameters) = Self.router.find(method, "/route") else {
            Issue.record("not found")
            return
        }
        #expect(route.pattern == "/route" && parameters.isEmpty)
    }

    @Test("names take whole segments, decoded; an encoded slash stays inside")
    func names() {
        guard case .route(_, let parameters) = Self.router.find("GET", "/v1/channels/a%2Fb%20%E8%8C%B6/2") else {
            Issue.record("not found")
            return
        }
        #expect(parameters == ["id": "a/b 茶", "type": "2"])
    }

    @Test("a word in the place of another method's name does not hide it")
    func words() {
        guard case .route(let route, let parameters) = Self.router.find("DELETE", "/v1/lists/a/count") else {
            Issue.record("not found")
            return
        }
        #expect(route.method == "DELETE" && parameters == ["id": "a", "person": "count"])
        guard case .route(let counting, _) = Self.router.find("GET", "/v1/lists/a/count") else {
            Issue.record("not found")
            return
        }
        #expect(counting.pattern == "/v1/lists/{id}/count")
        #expect(self.refusal("PUT", "/v1/lists/a/count")?.allowedMethods == ["DELETE", "GET"])
    }

    @Test("a wrong method is 405 and names the right ones")
    func method() {
        let failure = self.refusal("POST", "/v1/channels/a/2")
        #expect(failure?.status == 405 && failure?.allowedMethods == ["DELETE", "GET"])
        #expect(self.refusal("GET", "/user/token")?.status == 405)
    }

    @Test(
        "what is not served says why, also below a folder",
        arguments: [
            ("/tags", "there are none"), ("/plugins/a/b", "plugins run"), ("/plugins", "plugins run"),
        ])
    func notServed(path: String, reason: String) {
        let failure = self.refusal("GET", path)
        #expect(failure?.status == 404 && failure?.message.contains(reason) == true)
    }

    @Test("an unknown path beside known ones is 404, any other is left to the next door")
    func unknown() {
        #expect(self.refusal("GET", "/user/nothing")?.status == 404)
        #expect(self.refusal("GET", "/v1/channels/a")?.status == 404)
        for path in ["/", "/ca.pem", "/ca.crt", "/ca.mobileconfig", "/card", "/api/v1/setup"] {
            guard case .notMine = Self.router.find("GET", path) else {
                Issue.record("\(path) belongs to another door")
                continue
            }
        }
    }

    @Test("a path that cannot be decoded is left to the door that it would belong to", arguments: [false, true])
    func encodingOfOthers(shares: Bool) {
        let router = Router([Route("GET", "/route/{name}", .anyone, Self.handler)], sharesTerritory: shares)
        guard case .notMine = router.find("GET", "/1.1/%zz") else {
            Issue.record("taken from another door")
            return
        }
        guard case .refused(let failure) = router.find("GET", "/route/%zz") else {
            Issue.record("not refused")
            return
        }
        #expect(failure.status == 400)
        // Below a first segment that is shared, another door may have the pattern.
        if case .notMine = router.find("GET", "/route/%zz/more") {
            #expect(shares)
        } else {
            #expect(!shares)
        }
    }

    @Test("a path that cannot be decoded is refused", arguments: ["/v1/channels/%/2", "/v1/%C3%28", "/v1/a%0Ab"])
    func undecodable(path: String) { #expect(self.refusal("GET", path)?.status == 400) }
}
