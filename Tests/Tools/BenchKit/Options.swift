import Glibc

/// The command line.
package struct Options: Equatable, Sendable {
    /// Scenarios to measure.
    package var scenarios: [Scenario] = []
    /// Servers to measure.
    package var servers: [ServerChoice] = []
    /// Bounds of a run.
    package var bounds = Bounds()
    /// Runs of each scenario and server, in turn; the medians are shown.
    package var rounds = 3
    /// True to print JSON.
    package var json = false
    /// In the binary encoding, one in so many messages that arrive is decrypted and its message key checked.
    package var keyCheckInterval = 64
    /// Path of a file with users and tokens; `nil` to make them.
    package var usersFile: String?
    /// Name of the group.
    package var group = "bench"
    /// App ID of a server that runs already; servers that are started here are asked for theirs.
    package var appID = ""
    /// Where data folders and logs are made: it should be on the disk that is to be measured, not in memory.
    package var workFolder = "/var/tmp"

    package init() {}

    /// People whom the scenarios need.
    package var users: Int { self.scenarios.map(\.users).max() ?? 0 }
    /// Largest group of the scenarios.
    package var groupMembers: Int { self.scenarios.map(\.groupMembers).max() ?? 0 }

    /// `HOST:PORT` with a numeric IPv4 address.
    package static func endpoint(_ text: String) throws(BenchError) -> Endpoint {
        let parts = text.split(separator: ":")
        var address = in_addr()
        guard parts.count == 2, let port = UInt16(parts[1]), port > 0,
            inet_pton(AF_INET, String(parts[0] == "localhost" ? "127.0.0.1" : parts[0]), &address) == 1
        else { throw .usage("\(text) is no IPv4 address and port, such as 127.0.0.1:7677") }
        return Endpoint(address: UInt32(bigEndian: address.s_addr), port: port)
    }

    /// Text of `--help`.
    package static let help = """
        usage: teahouse-bench [run] SCENARIO... SERVER... [option...]

        scenarios
          pairs            people in pairs who write to each other    --pairs 100  --window 16[,1]
          fanout           a group some of whose members write to it  --members 500  --senders 1[,10]  --window 32
          idle             memory of silent connections               --connections 5000
          signin           sign-ins per second                        --connections 5000
          catchup          coming back to messages                    --messages 10000
          all              every one of these, with the windows and senders of the budgets

        servers
          --server PATH    a teahouse binary, started here in a temporary folder  [--config FILE]
          --target HOST:PORT  a server that runs already; needs --users FILE with lines "uid token",
                           a group of the first of them for fanout [--group NAME], and for its memory
                           and processor time [--server-pid PID]
          --reference NAME bare (stores nothing), log (group commit with fdatasync), mosquitto (QoS 1) or
                           mosquitto-saving (its database saved every second); may be repeated
          --with-references  all of them that are installed
          --protocol NAMES how teahouse is spoken to: wukong-json (the default), wukong-binary, leancloud;
                           several with commas between, both for the first two or all compare the first
                           with the others; the references are spoken to as ever
          --app-id ID      of a target that is spoken to as leancloud ("teahouse ctl app show"); its
                           leancloud.sign_in has to be token or open, and no conversation signed

        options
          --seconds 5      measured time of each run      --rounds 3   runs of each, in turn; medians are shown
          --warm-up 0.5    seconds before it              --json       print JSON instead of tables
          --folder /var/tmp  where data and logs go
          --verify-keys 1/64  share of the messages in the binary encoding that is decrypted and checked

        Exit status: 0 done; 1 messages were lost, repeated, reordered, refused or unanswered, or a run failed;
        64 usage.

        example: teahouse-bench run --server .build/release/teahouse --config deploy/bench.toml --with-references all

        """
}
