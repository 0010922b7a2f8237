package import AdminAPI
package import AdminService
import Configuration
import Glibc

extension ServerOptions {
    /// - Throws: `ConfigurationError` for an account that this machine does not have.
    mutating func applyOperators(_ settings: Settings) throws(ConfigurationError) {
        let lists: [(SettingKey<[String]>, OperatorRole)] = [
            (Keys.operatorObservers, .observer), (Keys.operatorHelpers, .helper),
            (Keys.operatorAdministrators, .administrator),
        ]
        for (key, role) in lists {
            for text in settings[key] where !self.operators.give(role, to: text) {
                throw ConfigurationError(
                    origin: settings.origin(of: key.definition),
                    problem: "\(text) is no account of this machine: write the name of a user, or @ and that of a group"
                )
            }
        }
        let folder = settings[Keys.operatorFolder]
        self.operators.folder = folder.isEmpty ? nil : folder
    }
}

extension OperatorRules {
    /// Gives a role to a user, or behind `@` to the members of a group. Numbers are taken as they are.
    ///
    /// - Returns: false for a name that this machine does not know.
    package mutating func give(_ role: OperatorRole, to text: String) -> Bool {
        if text.hasPrefix("@") {
            let name = String(text.dropFirst())
            guard let number = UInt32(name) ?? Self.group(name), number != Self.nobody else { return false }
            self.add(role, group: number)
        } else {
            guard let number = UInt32(text) ?? Self.user(text), number != Self.nobody else { return false }
            self.add(role, user: number)
        }
        return true
    }

    /// Bytes for what the account database says of one name; the members of a group are in it.
    private static let recordBytes = 1 << 20

    private static func user(_ name: String) -> UInt32? {
        var (record, found) = (passwd(), UnsafeMutablePointer<passwd>?.none)
        var room = [CChar](repeating: 0, count: Self.recordBytes)
        guard getpwnam_r(name, &record, &room, room.count, &found) == 0, found != nil else { return nil }
        return record.pw_uid
    }

    private static func group(_ name: String) -> UInt32? {
        var (record, found) = (Glibc.group(), UnsafeMutablePointer<Glibc.group>?.none)
        var room = [CChar](repeating: 0, count: Self.recordBytes)
        guard getgrnam_r(name, &record, &room, room.count, &found) == 0, found != nil else { return nil }
        return record.gr_gid
    }
}
