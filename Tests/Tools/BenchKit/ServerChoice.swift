import Glibc

/// How teahouse is spoken to, by the name that the command line has for it.
package enum ClientProtocol: String, Hashable, Sendable, CaseIterable {
    /// WuKongIM's JSON-RPC.
    case json = "wukong-json"
    /// WuKongIM's binary encoding.
    case binary = "wukong-binary"
    /// LeanCloud's binary commands.
    case leanCloud = "leancloud"
}

/// A server to measure, as it is chosen on the command line.
package enum ServerChoice: Hashable, Sendable {
    /// One that runs already; with its process id, its memory and processor time are measured too.
    case target(Endpoint, process: Int32?, encoding: ClientProtocol = .json)
    /// A teahouse binary, started by the benchmark.
    case teahouse(binary: String, configuration: String?, encoding: ClientProtocol = .json)
    /// The reference that stores nothing.
    case bare
    /// The reference that writes a log and waits for the disk, once per loop turn.
    case log
    /// Debian's Mosquitto, with QoS 1; with `saving`, its database goes to the disk every second (without `fsync`).
    case mosquitto(saving: Bool)

    /// Path of mosquitto.
    package static let mosquittoPath = "/usr/sbin/mosquitto"

    /// True when the required programs are installed.
    package var isAvailable: Bool {
        if case .mosquitto = self { access(Self.mosquittoPath, X_OK) == 0 } else { true }
    }

    /// Name of the choice on the command line.
    package var name: String {
        switch self {
        case .target(let endpoint, _, .json): endpoint.description
        case .target(let endpoint, _, .binary): "\(endpoint) binary"
        case .target(let endpoint, _, .leanCloud): "\(endpoint) leancloud"
        case .teahouse(_, _, .json): "teahouse"
        case .teahouse(_, _, .binary): "teahouse binary"
        case .teahouse(_, _, .leanCloud): "teahouse leancloud"
        case .bare: "bare"
        case .log: "log"
        case .mosquitto(false): "mosquitto"
        case .mosquitto(true): "mosquitto-saving"
        }
    }

    /// Servers that teahouse is measured beside.
    package static let references: [ServerChoice] = [.bare, .log, .mosquitto(saving: false), .mosquitto(saving: true)]
}
