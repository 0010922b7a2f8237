import ByteCodec
import ChatModel
import Glibc
import Store
import TeahouseTesting
import Testing

/// Friends hear of each other's coming and going.
struct BusinessPresenceScenarios {
    private func server() throws -> TestServer {
        let server = try TestServer { $0.business.presenceSettleMilliseconds = 0 }
        try server.add("romeo", "juliet", "mercutio", "nurse")
        let (romeo, juliet, mercutio) = (try server.id("romeo"), try server.id("juliet"), try server.id("mercutio"))
        try server.write { transaction throws(StoreError) in
            for friend in [juliet, mercutio] {
                _ = try transaction.friends.ask(friend, by: romeo, text: "", token: "token\(friend.rawValue)")
                try transaction.friends.accept(romeo, by: friend)
            }
        }
        return server
    }

    /// The next that a device is told of `name`.
    private func told(_ client: TestClient, of name: String) throws -> JSONValue {
        while true {
            let parameters = try client.command("onlineStatus")
            if parameters["uid"]?.string == name { return parameters }
        }
    }

    private func state(online: Int64, flag: Int64, shown: Int64, allOffline: Bool = false) -> JSONValue {
        let state = JSONValue.object([
            JSONValue.Member("uid", .string("romeo")), JSONValue.Member("online", .integer(online)),
            JSONValue.Member("device_flag", .integer(flag)), JSONValue.Member("main_device_flag", .integer(shown)),
        ])
        guard allOffline, let members = state.object else { return state }
        return .object(members + [JSONValue.Member("all_offline", .integer(1))])
    }

    @Test("two friends hear of each class of devices that comes and goes, a stranger of nothing, and nothing is kept")
    func friends() throws {
        let server = try self.server()
        let juliet = try server.id("juliet")
        func kept() throws -> Int {
            try server.server.store.readAndWait { transaction throws(StoreError) in
                try transaction.commands.page(for: juliet, after: 0, limit: 10).count
            }
        }
        let friends = [try server.connect("juliet"), try server.connect("mercutio")]
        let stranger = try server.connect("nurse")
        // The request and that it was accepted are kept, and told on other threads.
        for _ in 0..<6_000 where try kept() < 2 { usleep(10_000) }
        let phone = try server.connect("romeo", .app)
        for friend in friends {
            #expect(try self.told(friend, of: "romeo") == self.state(online: 1, flag: 0, shown: 0))
        }
        let computer = try server.connect("romeo", .desktop)
        for device in friends + [phone] {
            #expect(try self.told(device, of: "romeo") == self.state(online: 1, flag: 2, shown: 0))
        }
        phone.drop()
        for friend in friends {
            #expect(try self.told(friend, of: "romeo") == self.state(online: 0, flag: 0, shown: 2))
        }
        computer.drop()
        for friend in friends {
            let gone = self.state(online: 0, flag: 2, shown: 2, allOffline: true)
            #expect(try self.told(friend, of: "romeo") == gone)
        }
        try stranger.settle()
        #expect(stranger.waiting.isEmpty)
        #expect(try kept() == 2, "that they became friends is kept, and nothing else")
    }

    @Test("a further session of a class is no news, and a former friend hears nothing")
    func noNews() throws {
        let server = try self.server()
        let (juliet, romeo) = (try server.id("juliet"), try server.id("romeo"))
        try server.write { transaction throws(StoreError) in try transaction.friends.remove(juliet, of: romeo) }
        let former = try server.connect("juliet")
        let friend = try server.connect("mercutio")
        var sessions = [try server.connectBinary("romeo", .web)]
        #expect(try self.told(friend, of: "romeo") == self.state(online: 1, flag: 1, shown: 1))
        sessions.append(try server.connectBinary("romeo", .web))
        sessions.append(try server.connectBinary("romeo", .desktop))
        #expect(try self.told(friend, of: "romeo") == self.state(online: 1, flag: 2, shown: 2))
        try former.settle()
        #expect(former.waiting.isEmpty)
        for session in sessions { try session.settle() }
    }
}
