import AdminAPI
import ChatModel
import Store
import Testing

@testable import AdminService

@Suite("Imports through the admin socket") struct ImportRequestsTests {
    private static let row =
        #"{"objectId":"5f00000000000000000000a1","createdAt":"2026-01-02T00:00:00.000Z","name":"team","m":["romeo"],"c":"romeo"}"#

    private static func message(_ number: Int) -> String {
        #"{"timestamp":\#(1_770_000_000_000 + number),"conv-id":"5f00000000000000000000a1","from":"romeo","#
            + #""msg-id":"m\#(number)","data":"text \#(number)"}"#
    }

    private func bring(
        _ table: String, _ lines: [String], _ number: Int64, _ client: AdminClient, expected: [String] = []
    ) throws -> AdminImportOutcome {
        let request = AdminImportLines(number: number, table: table, lines: lines, expected: expected)
        guard case .imports(.outcome(let outcome)) = try client.ask(.imports(.lines(request))) else {
            throw AdminError(.protocolError, "another answer was due")
        }
        return outcome
    }

    private func begin(_ client: AdminClient) throws -> Int64 {
        guard case .imports(.begun(let number)) = try client.ask(.imports(.begin(origin: "app"))) else {
            throw AdminError(.protocolError, "another answer was due")
        }
        return number
    }

    @Test("lines are brought in slices, each remark names its own line, and the audit log has beginning and end")
    func whole() throws {
        let fixture = try Fixture()
        let client = try fixture.client()
        let number = try self.begin(client)
        #expect(try self.begin(client) == number)
        #expect(try self.bring("conversations", [Self.row], number, client).added == 1)
        var lines = (0..<150).map { Self.message($0) }
        lines[120] = "no JSON"
        let outcome = try self.bring("messages", lines, number, client)
        #expect(outcome.rows == 150 && outcome.added == 149 && outcome.refused == 1)
        #expect(outcome.remarks.map(\.index) == [120] && outcome.remarks.first?.refused == true)
        #expect(try self.bring("messages", lines, number, client).known == 149)
        #expect(try client.ask(.imports(.finish(number: number, counts: #"{"messages":{}}"#))) == .done)
        #expect(client.refusal(of: .imports(.finish(number: number, counts: "{}")))?.code == .notFound)
        guard case .imports(.list(let imports, nil)) = try client.ask(.imports(.list(before: nil))),
            case .audit(.list(let entries, _)) = try client.ask(.audit(.list(AuditQuery())))
        else { throw AdminError(.protocolError, "another answer was due") }
        #expect(imports.map(\.state) == ["whole"] && imports.first?.counts == #"{"messages":{}}"#)
        #expect(entries.map(\.entry.word) == ["import.finish", "import.begin"])
    }

    @Test(
        "a content of an import belongs to the server, is nothing of its own in the audit log, and its row waits for it"
    )
    func contents() throws {
        let fixture = try Fixture()
        let client = try fixture.client()
        let uploading = Uploading(client: client)
        let bytes = Array("the letter".utf8)
        func upload(_ number: Int64) -> AdminRequest {
            .transfers(
                .upload(
                    AdminUpload(
                        owner: UserName("import")!, name: "letter.txt", mediaType: "text/plain", size: 10,
                        source: "00000000000000aa", importing: number)))
        }
        #expect(client.refusal(of: upload(1))?.code == .notFound)
        let number = try self.begin(client)
        let row =
            #"{"objectId":"5f00000000000000000000f1","name":"letter.txt","url":"https://old/k","key":"k","#
            + #""createdAt":"2026-01-02T00:00:00.000Z"}"#
        let asked = try self.bring("files", ["no JSON", row], number, client)
        #expect(asked.wanted == [1] && asked.refused == 1 && asked.added == 0)
        #expect(try self.bring("files", [row], 0, client).wanted == [0])
        _ = try client.ask(upload(number))
        try uploading.send(bytes[...])
        let file = try uploading.finish().file
        let lines = AdminImportLines(number: number, table: "files", lines: [row], contents: [file.text])
        guard case .imports(.outcome(let outcome)) = try client.ask(.imports(.lines(lines))) else {
            throw AdminError(.protocolError, "another answer was due")
        }
        #expect(outcome.added == 1 && outcome.wanted.isEmpty)
        let uneven = AdminImportLines(number: number, table: "files", lines: [row, row], contents: [file.text])
        #expect(client.refusal(of: .imports(.lines(uneven)))?.code == .invalid)
        // A name that is none must not give its line the content of the one behind it.
        let shifted = AdminImportLines(
            number: number, table: "files", lines: [row, row], contents: ["?", file.text])
        #expect(client.refusal(of: .imports(.lines(shifted)))?.code == .invalid)
        let kept = try fixture.store.readAndWait { store throws(StoreError) in try store.files.file(file) }
        #expect(kept?.references == 1 && kept?.owner == .system)
        guard case .audit(.list(let entries, _)) = try client.ask(.audit(.list(AuditQuery()))) else {
            throw AdminError(.protocolError, "another answer was due")
        }
        #expect(entries.map(\.entry.word) == ["import.begin"])
    }

    @Test("a slice ends at fifty lines or 32 KiB, and a line that is longer goes alone")
    func slices() {
        func length(_ bytes: [Int]) -> Int {
            AdminHandler.sliceLength(bytes.map { [UInt8](repeating: 0x20, count: $0) }[...])
        }
        #expect(length([Int](repeating: 10, count: 200)) == 50)
        #expect(length([20_000, 12_768, 1]) == 2)
        #expect(length([400_000, 1]) == 1)
    }

    @Test("names and counts of imports have bounds, and the list of many stays readable")
    func bounds() throws {
        let fixture = try Fixture()
        let client = try fixture.client()
        let long = String(repeating: "x", count: AdminImport.maximumOriginBytes + 1)
        #expect(client.refusal(of: .imports(.begin(origin: long)))?.code == .invalid)
        let counts = #"{"left":""# + String(repeating: "x", count: AdminImport.maximumCountsBytes - 11) + #""}"#
        for index in 1...30 {
            guard case .imports(.begun(let number)) = try client.ask(.imports(.begin(origin: "app-\(index)"))) else {
                throw AdminError(.protocolError, "another answer was due")
            }
            let wrong = AdminImportRequest.finish(number: number, counts: counts + " ")
            #expect(client.refusal(of: .imports(wrong))?.code == .invalid)
            #expect(try client.ask(.imports(.finish(number: number, counts: counts))) == .done)
        }
        var (seen, before) = ([String](), Int64?.none)
        repeat {
            guard case .imports(.list(let page, let next)) = try client.ask(.imports(.list(before: before))) else {
                throw AdminError(.protocolError, "another answer was due")
            }
            seen += page.map(\.origin)
            before = next
        } while before != nil
        #expect(seen == (1...30).reversed().map { "app-\($0)" })
    }

    @Test("a line with thousands of members that cannot be here has ten remarks, and a last one that counts the others")
    func remarks() throws {
        let fixture = try Fixture()
        let client = try fixture.client()
        let number = try self.begin(client)
        let members = (1...3_000).map { "\"\\u0001\($0)\"" }.joined(separator: ",")
        let row =
            #"{"objectId":"5f00000000000000000000a1","createdAt":"2026-01-02T00:00:00.000Z","m":[\#(members)]}"#
        let outcome = try self.bring("conversations", [row], number, client)
        #expect(outcome.remarks.count == 11 && outcome.remarks.last?.text == "and 2990 more like these")
    }

    @Test("what lines would become is told without bringing them, and a table that no folder has is refused")
    func looks() throws {
        let fixture = try Fixture()
        let client = try fixture.client()
        let alone = try self.bring("messages", [Self.message(1)], 0, client)
        #expect(alone.refused == 1 && alone.added == 0)
        let expected = ["5f00000000000000000000a1"]
        #expect(try self.bring("messages", [Self.message(1)], 0, client, expected: expected).added == 1)
        let counts = try fixture.store.readAndWait { store throws(StoreError) in try store.messages.counts() }
        #expect(counts.conversations == 0)
        let wrong = AdminImportLines(number: 0, table: "posts", lines: [])
        #expect(client.refusal(of: .imports(.lines(wrong)))?.code == .invalid)
    }
}
