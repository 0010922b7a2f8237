import ByteCodec
import TeahouseTesting
import Testing

/// Whole classes, page by page, as `teahouse leancloud pull` takes an app away.
struct ScanTests {
    /// The object ids of a class, by pages of this size.
    private func ids(_ app: LeanCloudApp, _ name: String, limit: Int, _ more: String = "") throws -> [[String]] {
        var pages: [[String]] = []
        var cursor = ""
        for _ in 0..<20 {
            let reply = try app.master("GET", "/1.1/scan/classes/\(name)?limit=\(limit)\(more)\(cursor)")
            #expect(reply.status == 200, "\(reply.text)")
            pages.append((reply.json["results"]?.array ?? []).compactMap { $0["objectId"]?.string })
            guard let next = reply.json["cursor"]?.string else { return pages }
            cursor = "&cursor=\(next)"
        }
        return pages
    }

    @Test func conversationsComeOnceEachInPagesAndADeletedOneDoesNot() throws {
        let app = try LeanCloudApp()
        var made = try (0..<5).map { try app.conversation("Tom", "P\($0)") }
        _ = try app.master("DELETE", "/1.2/rtm/conversations/\(made.remove(at: 2))")
        let pages = try self.ids(app, "_Conversation", limit: 2)
        #expect(Set(pages.joined()) == Set(made))
        #expect(pages.joined().count == made.count && pages.count >= 3)
        let row = try app.master("GET", "/1.1/scan/classes/_Conversation?limit=1").json["results"]?.array?.first
        let one = try app.master("GET", "/1.1/classes/_Conversation/\(made[0])").json
        #expect(row?["objectId"] == one["objectId"] && row?["m"] == one["m"] && row?["name"] == one["name"])
    }

    @Test func aConditionLeavesRowsOutAndThePagesGoOn() throws {
        let app = try LeanCloudApp()
        _ = try (0..<5).map { try app.conversation("Tom", "P\($0)") }
        let one = try app.master("POST", "/1.2/rtm/conversations", .of(#"{"name":"sought","m":["Tom"]}"#))
        let pages = try self.ids(app, "_Conversation", limit: 2, "&where=%7B%22name%22%3A%22sought%22%7D")
        let id = try #require(one.json["objectId"]?.string)
        #expect(Array(pages.joined()) == [id])
    }

    @Test func peopleFilesAndDevicesAreThereToo() throws {
        let app = try LeanCloudApp()
        _ = try app.conversation("Tom", "Ann")
        let file = try app.master("POST", "/1.1/files", .of(#"{"name":"a.txt","url":"https://example.com/a.txt"}"#))
        let device = try app.master(
            "POST", "/1.1/installations", .of(#"{"deviceType":"ios","deviceToken":"abc","channels":["x"]}"#))
        let people = try self.ids(app, "_User", limit: 1)
        #expect(Set(people.joined()).isSuperset(of: ["Tom", "Ann"]))
        let fileID = try #require(file.json["objectId"]?.string)
        let files = try self.ids(app, "_File", limit: 1)
        #expect(Array(files.joined()) == [fileID])
        let deviceID = try #require(device.json["objectId"]?.string)
        let devices = try self.ids(app, "_Installation", limit: 1)
        #expect(Array(devices.joined()) == [deviceID])
    }

    @Test func theMasterKeyAloneMayAskAndOnlyForWhatIsThere() throws {
        let app = try LeanCloudApp()
        let unknown = try app.master("GET", "/1.1/scan/classes/Post")
        #expect(unknown.status == 404 && unknown.code == 101)
        #expect(try app.master("GET", "/1.1/scan/classes/_User?cursor=x").status == 400)
        let open = try app.ask("GET", "/1.1/scan/classes/_User", app.asClient)
        #expect(open.status == 401 && open.code == 119)
    }
}
