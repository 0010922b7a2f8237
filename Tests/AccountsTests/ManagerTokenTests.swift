import Execution
import Glibc
import Store
import Testing

@testable import Accounts

struct ManagerTokenTests {
    private let folder: String
    private let clock = ManualClock()

    init() {
        var template = Array("/tmp/teahouse-manager-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil)
        self.folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private func write(_ text: String, mode: mode_t = 0o600) throws {
        let path = ManagerToken.path(in: self.folder)
        let file = try #require(fopen(path, "w"))
        fputs(text, file)
        fclose(file)
        chmod(path, mode)
    }

    private func token() throws -> ManagerToken { try ManagerToken(folder: self.folder, clock: self.clock.clock) }

    private static let far = ManagerToken.Asker(address: "10.0.0.9", throttleKey: "10.0.0.9", isLoopback: false)

    @Test("the first start makes a token that only its owner can read, the next ones keep it")
    func made() throws {
        #expect(try ManagerToken.text(in: self.folder) == nil)
        _ = try self.token()
        let text = try #require(try ManagerToken.text(in: self.folder))
        var status = stat()
        #expect(stat(ManagerToken.path(in: self.folder), &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(text.utf8.count >= 43)
        let again = try self.token()
        #expect(again.isRight(text) && !again.isRight(text + "x") && !again.isRight(""))
        #expect(again.judge(text, from: Self.far) == .right)
    }

    @Test("an operator's own token is taken")
    func chosen() throws {
        try self.write("  0123456789abcdef0123456789abcdef\n")
        #expect(try self.token().isRight("0123456789abcdef0123456789abcdef"))
    }

    @Test("a short token, and a file that others can read, are refused with advice")
    func refusedFiles() throws {
        try self.write("short\n")
        #expect(throws: StoreError.self) { try self.token() }
        try self.write("0123456789abcdef0123456789abcdef\n", mode: 0o640)
        let error = #expect(throws: StoreError.self) { try self.token() }
        #expect(error?.description.contains("chmod 600") == true)
    }

    @Test("after some wrong tokens the address has to wait, the right one never")
    func guessing() throws {
        let token = try self.token()
        let text = try #require(try ManagerToken.text(in: self.folder))
        let verdicts = (0..<7).map { token.judge("wrong\($0)", from: Self.far) }
        #expect(verdicts.first == .wrong)
        guard case .throttled = verdicts.last else {
            Issue.record("seven wrong tokens and no pause: \(verdicts)")
            return
        }
        #expect(token.judge(text, from: Self.far) == .right)
        let near = ManagerToken.Asker(address: "10.0.0.8", throttleKey: "10.0.0.8", isLoopback: false)
        #expect(token.judge("wrong", from: near) == .wrong)
    }
}
