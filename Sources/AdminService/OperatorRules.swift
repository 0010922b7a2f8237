package import AdminAPI
import CLinux
import Execution
import Glibc

/// Account on the other side of the admin socket, as the kernel names it.
package struct OperatorPeer: Sendable {
    /// Number of the user that the process runs as.
    package var user: UInt32
    /// Numbers of its groups.
    package var groups: Set<UInt32>

    /// - Parameter groups: the group of the process and its supplementary ones.
    package init(user: UInt32, groups: Set<UInt32>) {
        self.user = user
        self.groups = groups
    }

    /// Maximum number of groups of a process. Source: NGROUPS_MAX, getgroups(2).
    private static let maximumGroups = 65_536

    /// Asks the kernel who is at the other side of a connection; `nil` when it does not say. A process whose
    /// supplementary groups it does not say has only its own group.
    package init?(connection: Int32) {
        var (process, user, group) = (pid_t(), uid_t(), gid_t())
        guard clinux_peer_credentials(connection, &process, &user, &group) == 0 else { return nil }
        var found: [gid_t] = []
        for room in [64, Self.maximumGroups] where found.isEmpty {
            found = [gid_t](unsafeUninitializedCapacity: room) { groups, count in
                // SAFETY: the kernel writes at most `room` numbers; a failure leaves the array empty.
                count = max(0, Int(clinux_peer_groups(connection, groups.baseAddress!, Int32(room))))
            }
        }
        self.init(user: user, groups: Set(found).union([group]))
    }
}

/// Roles of accounts of this machine at the admin socket.
///
/// Root and the server's own user are administrators. Anybody else has the highest role of the lists in which their user
/// or one of their groups stands, or none.
package struct OperatorRules: Sendable {
    /// Roles by the number of a user.
    package var users: [UInt32: OperatorRole] = [:]
    /// Roles by the number of a group.
    package var groups: [UInt32: OperatorRole] = [:]
    /// Folder of a second socket, to which every account may connect; `nil` for none.
    package var folder: String?

    package init() {}

    /// Number that the kernel gives for every account that a user namespace does not have (`PrivateUsers=` of
    /// systemd), so that it names nobody. Source: user_namespaces(7), /proc/sys/kernel/overflowuid.
    package static let nobody: UInt32 = 65_534

    /// True for root and the server's own user.
    package static func isOwn(_ user: UInt32) -> Bool { user == geteuid() || user == 0 }

    /// Gives an account a role; the highest of several counts.
    package mutating func add(_ role: OperatorRole, user: UInt32) {
        self.users[user] = max(role, self.users[user] ?? role)
    }

    /// Gives the members of a group a role; the highest of several counts.
    package mutating func add(_ role: OperatorRole, group: UInt32) {
        self.groups[group] = max(role, self.groups[group] ?? role)
    }

    /// Role of an account; `nil` for one that is not let in.
    package func role(of peer: OperatorPeer) -> OperatorRole? {
        if Self.isOwn(peer.user) { return .administrator }
        guard peer.user != Self.nobody else { return nil }
        let ofGroups = peer.groups.subtracting([Self.nobody]).compactMap { self.groups[$0] }
        return (ofGroups + [self.users[peer.user]].compactMap { $0 }).max()
    }
}

/// Refusals of a minute that are written down. A flood of them is counted.
struct RefusalBudget {
    /// Refusals in a minute that are written.
    static let perMinute = 30

    private var until: Instant?
    private var written = 0
    private var leftOut: Int64 = 0

    /// Takes one.
    ///
    /// - Returns: the number of those left out before it; `nil` when this one is left out too.
    mutating func take(at now: Instant) -> Int64? {
        if self.until.map({ $0 <= now }) ?? true {
            self.until = now.advanced(bySeconds: 60)
            self.written = 0
        }
        guard self.written < Self.perMinute else {
            self.leftOut += 1
            return nil
        }
        self.written += 1
        defer { self.leftOut = 0 }
        return self.leftOut
    }
}
