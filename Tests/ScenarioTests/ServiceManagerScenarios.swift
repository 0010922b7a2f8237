import Testing
import Transport

@testable import Server

/// Sockets that a service manager passes on.
struct ServiceManagerScenarios {
    func taken(_ variables: [String: String]) throws(ServerError) -> PassedSockets {
        try PassedSockets(processID: 42) { variables[$0] }
    }

    @Test("sockets are taken by number and name; one named metrics is for monitoring")
    func named() throws {
        let taken = try self.taken([
            "LISTEN_PID": "42", "LISTEN_FDS": "3", "LISTEN_FDNAMES": "teahouse.socket:metrics:",
        ])
        #expect(
            taken.people == [
                PassedSocket(descriptor: 3, name: "teahouse.socket"), PassedSocket(descriptor: 5, name: ""),
            ])
        #expect(taken.metrics == [PassedSocket(descriptor: 4, name: "metrics")])
        let unnamed = try self.taken(["LISTEN_PID": "42", "LISTEN_FDS": "1"])
        #expect(unnamed.people == [PassedSocket(descriptor: 3, name: "unknown")])
    }

    @Test(
        "sockets of another process are not ours",
        arguments: [[:], ["LISTEN_FDS": "1"], ["LISTEN_PID": "41", "LISTEN_FDS": "1"]] as [[String: String]])
    func others(_ variables: [String: String]) throws {
        let taken = try self.taken(variables)
        #expect(taken.people.isEmpty && taken.metrics.isEmpty)
    }

    @Test(
        "numbers and names that cannot be true are refused",
        arguments: [("many", nil), ("-1", nil), ("17", nil), ("2", "one"), ("1", "one:two")] as [(String, String?)])
    func refused(_ count: String, _ names: String?) {
        var variables = ["LISTEN_PID": "42", "LISTEN_FDS": count]
        variables["LISTEN_FDNAMES"] = names
        let taken = variables
        #expect(throws: ServerError.self) { try self.taken(taken) }
    }
}
