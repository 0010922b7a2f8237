import CLinux
import ChatModel
import Execution
import Glibc
import Store

/// People who write to each other in pairs, the first to the second and the third to the fourth, and their messages.
struct BenchPeople: Sendable {
    static let bodyBytes = 100

    let users: [(id: UserID, name: UserName)]

    var pairs: Int { self.users.count / 2 }

    init(_ store: Store, pairs: Int) throws(StoreError) {
        self.users = try store.writeAndWait { transaction throws(StoreError) in
            var users: [(id: UserID, name: UserName)] = []
            for number in 0..<(2 * pairs) {
                let name = UserName("user\(number)")!
                users.append((try transaction.people.createUser(name), name))
            }
            return users
        }
    }

    /// The other one of a pair.
    func peer(of user: Int) -> Int { user ^ 1 }

    /// A message of 100 bytes with a token that no other has.
    func message(
        _ number: Int, from sender: Int, flags: MessageFlags = .countsAsUnread,
        _ random: inout SystemRandomNumberGenerator
    ) -> Append {
        let token = withUnsafeBytes(of: (random.next(), random.next())) { Array($0) }
        return Append(
            sender: self.users[sender].id, authority: .user, address: .direct(self.users[self.peer(of: sender)].name),
            clientToken: ClientToken(token),
            content: MessageContent(
                kind: .text, flags: flags, wire: .native,
                body: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: Self.bodyBytes)),
            ticket: UInt64(number))
    }

    /// Sends one message in each pair, and says in which conversation it came to stand.
    func begin(_ store: Store) -> [ConversationID] {
        let found = ConditionLock<[Int: ConversationID]>([:])
        store.onOutcomes = { outcomes in
            found.change { found in
                for outcome in outcomes { found[Int(outcome.ticket)] = outcome.message.conversation }
            }
        }
        var random = SystemRandomNumberGenerator()
        store.append((0..<self.pairs).map { self.message($0, from: 2 * $0, &random) })
        return found.wait(until: { $0.count == self.pairs }) { found in (0..<self.pairs).map { found[$0]! } }
    }
}

extension AppendOutcome {
    /// The message that was taken; ends the run when it was not.
    var message: Message {
        guard case .accepted(let accepted) = self.result else { fatalError("not taken: \(self.result)") }
        return accepted.message
    }
}

/// Processor time of the whole process.
struct ProcessorTime {
    var userMicroseconds: Int64 = 0
    var systemMicroseconds: Int64 = 0

    static func ofProcess() -> ProcessorTime {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return ProcessorTime(
            userMicroseconds: Int64(usage.ru_utime.tv_sec) * 1_000_000 + Int64(usage.ru_utime.tv_usec),
            systemMicroseconds: Int64(usage.ru_stime.tv_sec) * 1_000_000 + Int64(usage.ru_stime.tv_usec))
    }

    /// Microseconds since an earlier moment.
    func microseconds(since start: ProcessorTime) -> Double {
        Double(self.userMicroseconds + self.systemMicroseconds - start.userMicroseconds - start.systemMicroseconds)
    }

    /// Processor time since an earlier moment, for each of so many operations.
    func each(_ count: Int, since start: ProcessorTime) -> String {
        let user = Double(self.userMicroseconds - start.userMicroseconds) / Double(count)
        let system = Double(self.systemMicroseconds - start.systemMicroseconds) / Double(count)
        return "\(rounded(user)) us user + \(rounded(system)) us system CPU each"
    }
}

/// Time between two moments, seconds.
func seconds(_ start: Instant, _ end: Instant) -> Double { Double(end.nanoseconds - start.nanoseconds) / 1e9 }

/// With one digit behind the point.
func rounded(_ value: Double) -> Double { (value * 10).rounded() / 10 }

/// The middle and the 99th percentile, with one digit behind the point.
func percentiles(_ samples: [Double]) -> String {
    guard !samples.isEmpty else { return "none" }
    let sorted = samples.sorted()
    return "p50 \(rounded(sorted[sorted.count / 2])), p99 \(rounded(sorted[sorted.count * 99 / 100]))"
}
