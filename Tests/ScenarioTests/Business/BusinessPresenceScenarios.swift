import ByteCodec
import ChatModel
import Store
import TeahouseTesting
import Testing

/// Friends hear of each other's coming and going.
struct BusinessPresenceScenarios {
    private func house() throws -> House {
        let house = try House { $0.business.presenceSettleMilliseconds = 0 }
        try house.add("romeo", "juliet", "mercutio", "nurse")
        let (romeo, juliet, mercutio) = (try house.id("romeo"), try house.id("juliet"), try house.id("mercutio"))
        try house.write { transaction throws(StoreError) in
            for friend in [juliet, mercutio] {
                _ = try transaction.askFriend(friend, by: romeo, text: "", token: "token\(friend.rawValue)")
                try transaction.acceptFriend(romeo, by: friend)
            }
        }
        return house
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
        let house = try self.house()
        let friends = [try house.connect("juliet"), try house.connect("mercutio")]
        let stranger = try house.connect("nurse")
        let phone = try house.connect("romeo", .app)
        for friend in friends {
            #expect(try self.told(friend, of: "romeo") == self.state(online: 1, flag: 0, shown: 0))
        }
        let computer = try house.connect("romeo", .desktop)
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
        let juliet = try house.id("juliet")
        let kept = try house.server.store.readAndWait { transaction throws(StoreError) in
            try transaction.commands(for: juliet, after: 0, limit: 10).count
        }
        #expect(kept == 0)
    }

    @Test("a further session of a class is no news, and a former friend hears nothing")
    func noNews() throws {
        let house = try self.house()
        let (juliet, romeo) = (try house.id("juliet"), try house.id("romeo"))
        try house.write { transaction throws(StoreError) in try transaction.removeFriend(juliet, of: romeo) }
        let former = try house.connect("juliet")
        let friend = try house.connect("mercutio")
        var sessions = [try house.connectBinary("romeo", .web)]
        #expect(try self.told(friend, of: "romeo") == self.state(online: 1, flag: 1, shown: 1))
        sessions.append(try house.connectBinary("romeo", .web))
        sessions.append(try house.connectBinary("romeo", .desktop))
        #expect(try self.told(friend, of: "romeo") == self.state(online: 1, flag: 2, shown: 2))
        try former.settle()
        #expect(former.waiting.isEmpty)
        for session in sessions { try session.settle() }
    }
}
