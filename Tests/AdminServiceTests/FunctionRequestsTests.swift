import AdminAPI
import AdminService
import ChatModel
import Execution
import Store
import Testing

@Suite("Requests about cloud functions") struct FunctionRequestsTests {
    @Test("functions are listed and switched, each switch with its audit entry and what was before")
    func switches() throws {
        let off = Lock<Set<String>>([])
        let fixture = try Fixture { options in
            options.functions = ServerFunctions(
                list: {
                    ["_clientOnline", "_messageReceived"].map { name in
                        AdminHookFunction(name: name, isDisabled: off.withLock { $0.contains(name) })
                    }
                }, dropped: { 4 },
                setDisabled: { name, isDisabled in
                    off.withLock { names in
                        if isDisabled { _ = names.insert(name) } else { _ = names.remove(name) }
                    }
                })
        }
        let client = try fixture.client()
        let answer = try client.ask(.hooks(.setDisabled("_clientOnline", true)))
        #expect(answer == .hooks(.function(AdminHookFunction(name: "_clientOnline", isDisabled: true))))
        guard case .hooks(.functions(let functions, let dropped)) = try client.ask(.hooks(.list)) else {
            throw AdminError(.protocolError, "another answer was due")
        }
        #expect(functions.map(\.isDisabled) == [true, false] && dropped == 4)
        var query = AuditQuery()
        query.what = "hook.disable"
        guard case .audit(.list(let entries, _)) = try client.ask(.audit(.list(query))) else {
            throw AdminError(.protocolError, "another answer was due")
        }
        let entry = try #require(entries.first?.entry)
        #expect(entries.count == 1 && entry.before == #"{"disabled":false}"#)
        let unknown = #expect(throws: AdminError.self) { try client.ask(.hooks(.setDisabled("_no", true))) }
        #expect(unknown?.code == .notFound)
    }

    @Test("without functions the answer says which setting is missing")
    func none() throws {
        let fixture = try Fixture()
        let client = try fixture.client()
        let error = #expect(throws: AdminError.self) { try client.ask(.hooks(.list)) }
        #expect(error?.code == .refused)
    }
}
