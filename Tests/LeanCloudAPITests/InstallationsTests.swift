import ByteCodec
import ChatModel
import Store
import TeahouseTesting
import Testing

/// Devices as push SDKs register them.
@Suite struct InstallationsTests {
    private func register(_ app: LeanCloudApp, _ more: String = "") throws -> HTTPReply {
        try app.ask(
            "POST", "/1.1/installations", app.asClient,
            .of(#"{"deviceType":"android","installationId":"i-1","timeZone":"Europe/Rome"\#(more)}"#))
    }

    @Test func aDeviceIsTheSameOneAgain() throws {
        let app = try LeanCloudApp()
        let first = try self.register(app, #","channels":["news"]"#)
        #expect(first.status == 201)
        let id = try #require(first.json["objectId"]?.string)
        let again = try self.register(app, #","channels":{"__op":"AddUnique","objects":["balls"]},"badge":3"#)
        #expect(again.json["objectId"]?.string == id)
        #expect(again.json["channels"] == .of(#"["news","balls"]"#))
        let changed = try app.ask(
            "PUT", "/1.1/installations/\(id)", app.asClient,
            .of(#"{"deviceToken":"t-1","channels":{"__op":"Remove","objects":["news"]}}"#))
        #expect(changed.status == 200 && changed.json["deviceToken"]?.string == "t-1")
        let read = try app.ask("GET", "/1.1/installations/\(id)", app.asClient).json
        #expect(read["channels"] == .of(#"["balls"]"#) && read["badge"]?.integer == 3)
        #expect(try app.ask("POST", "/1.1/installations", app.asClient, .of(#"{"deviceType":"ios"}"#)).code == 135)
        #expect(
            try app.ask("POST", "/1.1/installations", app.asClient, .of(#"{"deviceToken":"t"}"#)).code == 114)
        #expect(try app.ask("PUT", "/1.1/installations/nothing", app.asClient, .of("{}")).code == 101)
        #expect(try app.ask("DELETE", "/1.1/installations/\(id)", app.asClient).status == 401)
        #expect(try app.master("DELETE", "/1.1/installations/\(id)").status == 200)
    }

    @Test func itBelongsToWhoSignedInLast() throws {
        let app = try LeanCloudApp()
        let id = try #require(try self.register(app).json["objectId"]?.string)
        try app.server.add("romeo", "juliet")
        let (romeo, juliet) = (try app.server.id("romeo"), try app.server.id("juliet"))
        let channels = { () throws -> JSONValue? in
            try app.master("GET", "/1.1/installations/\(id)").json["channels"]
        }
        try app.server.write { store throws(StoreError) in try store.apps.bindInstallation("i-1", to: romeo) }
        #expect(try channels() == .of(#"["romeo"]"#))
        try app.server.write { store throws(StoreError) in try store.apps.bindInstallation("i-1", to: juliet) }
        #expect(try channels() == .of(#"["juliet"]"#))
        let devices = { (user: UserID) throws in
            try app.server.server.store.readAndWait { store throws(StoreError) in try store.apps.installations(of: user)
            }
        }
        #expect(try devices(romeo).isEmpty && devices(juliet).count == 1)
        // Who is gone from it already takes it from nobody.
        try app.server.write { store throws(StoreError) in try store.apps.releaseInstallation("i-1", from: romeo) }
        #expect(try channels() == .of(#"["juliet"]"#))
        try app.server.write { store throws(StoreError) in try store.apps.releaseInstallation("i-1", from: juliet) }
        #expect(try channels() == .of("[]"))
        try app.server.write { store throws(StoreError) in try store.apps.bindInstallation("unknown", to: juliet) }
        #expect(try devices(juliet).isEmpty)
    }

    @Test("a device of somebody is seen and changed by that person, by itself, and by the master key")
    func holders() throws {
        let app = try LeanCloudApp()
        let id = try #require(try self.register(app).json["objectId"]?.string)
        let path = "/1.1/installations/\(id)"
        // Nobody has signed in: its object id is known to the device alone.
        #expect(try app.ask("PUT", path, app.asClient, .of(#"{"badge":1}"#)).status == 200)
        let (romeo, juliet) = (try app.server.token("romeo", .app), try app.server.token("juliet", .app))
        let owner = try app.server.id("romeo")
        try app.server.write { store throws(StoreError) in try store.apps.bindInstallation("i-1", to: owner) }
        for headers in [app.asClient, app.asClient + [("X-LC-Session", juliet)]] {
            #expect(try app.ask("GET", path, headers).code == 101)
            for body in [#"{"badge":9}"#, #"{"installationId":"mine"}"#, #"{"deviceToken":""}"#] {
                #expect(try app.ask("PUT", path, headers, .of(body)).code == 101, "\(body)")
            }
            let taken = try app.ask(
                "POST", "/1.1/installations", headers,
                .of(#"{"objectId":"\#(id)","deviceType":"ios","installationId":"i-2"}"#))
            #expect(taken.json["objectId"]?.string != id)
        }
        #expect(try app.ask("GET", "/1.1/installations", app.asClient).status == 405)
        let row = try app.ask("GET", path, app.asClient + [("X-LC-Session", romeo)])
        #expect(row.status == 200 && row.json["badge"]?.integer == 1)
        // The device itself: Java's SDK sends everything that it has each time.
        #expect(try self.register(app, #","badge":2"#).json["objectId"]?.string == id)
        let whole = #"{"deviceType":"android","installationId":"i-1","badge":3}"#
        #expect(try app.ask("PUT", path, app.asClient, .of(whole)).status == 200)
        #expect(try app.master("GET", path).json["badge"]?.integer == 3)
    }

    @Test func aPersonHasNoMoreDevicesThanTheBound() throws {
        let app = try LeanCloudApp()
        try app.server.add("romeo")
        let romeo = try app.server.id("romeo")
        try app.server.write { store throws(StoreError) in
            for number in 0...AppLimits.devicesPerPerson {
                _ = try store.apps.register(InstallationPatch(deviceType: "ios", deviceToken: "t\(number)"))
                try store.apps.bindInstallation("t\(number)", to: romeo)
            }
        }
        let devices = try app.server.server.store.readAndWait { store throws(StoreError) in
            try store.apps.installations(of: romeo)
        }
        #expect(devices.count == AppLimits.devicesPerPerson && !devices.contains { $0.deviceToken == "t0" })
    }
}
