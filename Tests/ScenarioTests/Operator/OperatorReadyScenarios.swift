import Accounts
import ByteCodec
import CommandLineKit
import HTTPClient
import Hooks
import Server
import Store
import TeahouseTesting
import Testing
import Transport

/// `teahouse ctl app ready` against a whole server: it uses the doors that an app uses.
struct OperatorReadyScenarios {
    private static let origin = "https://app.example.com"
    /// A name that no resolver asks anybody about: its first label is too long.
    private static let foreign = String(repeating: "a", count: 64) + ".example.com"

    private func server(_ change: @escaping (inout ServerOptions) -> Void = { _ in }) throws -> TestServer {
        try TestServer {
            $0.appID = "teahouse-test-app-gzGzoHsz"
            $0.accounts.app = AppPolicy()
            $0.accounts.passwords.memoryBytes = 8_192
            $0.accounts.passwords.passes = 1
            $0.transport.origins = [Self.origin]
            change(&$0)
        }
    }

    private func keys(_ run: ControlRun) -> [String: String] {
        let findings = run.json["findings"]?.array ?? []
        return Dictionary(
            findings.compactMap { row in
                row["key"]?.string.map { (String($0.dropFirst("doctor.app.".count)), row["severity"]?.string ?? "") }
            }
        ) { first, _ in first }
    }

    /// People of the app, and files.
    private func kept(_ server: TestServer) throws -> [Int] {
        try server.server.store.readAndWait { transaction throws(StoreError) in
            [
                try transaction.apps.appUsers(limit: 100).count,
                try transaction.apps.appFiles(after: "", limit: 100).count,
            ]
        }
    }

    @Test(
        "signs in, sends, finds in the history, uploads and fetches, whatever proof is asked for; nothing is left",
        arguments: [(AppPolicy.SignIn.signature, "session_signed"), (.open, "session_open"), (.token, "session_token")])
    func tried(_ signIn: AppPolicy.SignIn, _ session: String) throws {
        let server = try self.server { $0.accounts.app.signIn = signIn }
        let before = try self.kept(server)
        let run = server.ctl("app", "ready", "--origin", Self.origin, "--json")
        #expect(run.code == .done, "\(run.output) \(run.error)")
        #expect(run.json["ready"]?.boolean == true)
        let found = self.keys(run)
        for key in ["router_good", "keys_good", "people_good", session, "message_good", "upload_good", "origin_good"] {
            #expect(found[key] != nil, "\(key): \(found)")
        }
        #expect(found["left_over"] == nil)
        #expect(try self.kept(server) == before)
        #expect(run.isHarmless)
    }

    @Test("a page of another origin, and a name that is not the server's, are problems; the exit code says so")
    func refused() throws {
        let server = try self.server()
        let run = server.ctl(
            "app", "ready", "--dry-run", "--origin", "https://elsewhere.example.com", "--host", Self.foreign,
            "--json")
        #expect(run.code == .refused)
        #expect(run.json["ready"]?.boolean == false)
        let found = self.keys(run)
        #expect(found["origin_bad"] == "problem" && found["name_bad"] == "problem" && found["dry"] == "advice")
        #expect(found["people_good"] == nil && found["router_good"] == "ok")
        let words = server.ctl("app", "ready", "--dry-run", "--host", Self.foreign)
        #expect(words.output.contains("put \(Self.foreign) into server.hosts"))
        #expect(words.output.contains("The app cannot come yet"))
        let chinese = server.ctl(["app", "ready", "--dry-run", "--host", Self.foreign], .chinese)
        #expect(chinese.output.contains("请把 \(Self.foreign) 写入 server.hosts"))
        #expect(server.ctl("--read-only", "app", "ready").output.contains("were not tried"))
    }

    @Test("the certificate that is shown for a name is looked at: our own is for names that it may sign")
    func certificate() throws {
        let server = try self.server {
            $0.servesTLS = true
        }
        let run = server.ctl("app", "ready", "--dry-run", "--host", "localhost", "--json")
        let found = self.keys(run)
        #expect(found["name_good"] == "ok" && found["certificate_own"] == "advice", "\(run.output)")
        #expect(found["name_here"] == "ok", "localhost leads here: \(run.output)")
    }

    @Test("a server without LeanCloud's clients says so")
    func closed() throws {
        let server = try self.server { $0.servesLeanCloud = false }
        let run = server.ctl("app", "ready")
        #expect(run.code == .refused && run.error.contains("leancloud.enabled"))
    }
}
