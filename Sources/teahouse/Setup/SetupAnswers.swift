import ChatModel
import CommandLineKit
import Configuration
import Glibc
import Server
import Transport

/// An answer as it was read, or why it cannot be.
enum SetupReading<Value> {
    case value(Value)
    /// Key of the text that says why, with its values.
    case refused(String, [String: String])
}

/// Settings that a first run asks for.
struct SetupAnswers: Hashable {
    /// Name of the server, for people.
    var name: String
    /// Addresses to listen on, HOST:PORT.
    var listen: [String]
    /// Data folder, from the root of the disk.
    var data: String
    var servesTLS: Bool

    /// Answers that leave the configuration as it is; the folder that the server would choose, where none is named.
    init(_ edit: FileEdit, _ unit: ServiceUnit?) {
        self.name = edit.value(of: Keys.serverName.definition).text
        self.listen = []
        if case .texts(let listen) = edit.value(of: Keys.listen.definition) { self.listen = listen }
        self.servesTLS = edit.value(of: Keys.tls.definition) == .boolean(true)
        self.data = edit.value(of: Keys.data.definition).text
        guard self.data.isEmpty else { return }
        self.data = unit != nil || geteuid() == 0 ? ServiceUnit.data : SetupFiles.absolute("teahouse-data")
    }

    /// Puts the answers into a configuration. The folder of the service is its own choice, and stays unnamed.
    func apply(to edit: inout FileEdit, _ unit: ServiceUnit?) {
        edit.set(Keys.serverName.definition, to: .text(self.name))
        edit.set(Keys.listen.definition, to: .texts(self.listen))
        edit.set(Keys.tls.definition, to: .boolean(self.servesTLS))
        if unit == nil { edit.set(Keys.data.definition, to: .text(self.data)) }
    }

    // MARK: Reading what was typed

    static func name(_ text: String) -> SetupReading<String> {
        guard ServerOptions.isName(text) else {
            return .refused("setup.bad.name", ["maximum": String(ServerOptions.nameCharacters)])
        }
        return .value(text)
    }

    /// Reads addresses with commas between; a port alone is that port on every address of IPv4.
    static func listen(_ text: String, unit: ServiceUnit?) -> SetupReading<[String]> {
        var addresses: [String] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let part = part.filter { !$0.isWhitespace }
            let address = UInt16(part) == nil ? part : "0.0.0.0:\(part)"
            guard let parsed = ListenAddress(parsing: address), addresses.count < 16 else {
                return .refused("setup.bad.listen", ["address": part])
            }
            guard unit == nil || parsed.port == 0 || parsed.port >= 1024 else {
                return .refused("setup.bad.lowPort", ["port": String(parsed.port)])
            }
            if !addresses.contains(address) { addresses.append(address) }
        }
        return .value(addresses)
    }

    /// Reads a folder: a new one, an empty one, or one that a server has made.
    static func data(_ text: String, unit: ServiceUnit?) -> SetupReading<String> {
        let values = ["path": text]
        guard !text.isEmpty, text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
            return .refused("setup.bad.path", values)
        }
        let path = SetupFiles.absolute(text)
        guard unit == nil || path == ServiceUnit.data else {
            return .refused("setup.bad.unitData", ["path": path, "data": ServiceUnit.data])
        }
        switch SetupFiles.kind(of: path) {
        case .missing, .emptyFolder: return .value(path)
        case .folder: break
        case .file: return .refused("setup.bad.notAFolder", values)
        }
        guard SetupPlace(folder: path, unit: unit).hasDatabase else { return .refused("setup.bad.others", values) }
        return .value(path)
    }

    /// Reads yes or no, in either language, or `on` and `off`.
    static func isYes(_ text: String, _ terminal: Terminal) -> SetupReading<Bool> {
        switch text.lowercased() {
        case "y", "yes", "on", "是", terminal.text("word.yes"): .value(true)
        case "n", "no", "off", "否", terminal.text("word.no"): .value(false)
        default: .refused("setup.bad.yes", [:])
        }
    }
}

/// The first administrator, as they were asked for.
struct SetupAdministrator {
    var name: UserName
    var password: String

    static func name(_ text: String) -> SetupReading<UserName> {
        guard let name = UserName(text) else {
            return .refused("ctl.badUserName", ["name": text, "maximum": String(UserName.maximumScalars)])
        }
        return .value(name)
    }
}
