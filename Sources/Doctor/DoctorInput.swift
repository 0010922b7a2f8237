package import Execution
package import Store

/// Input of the doctor: the settings as the server would use them.
package struct DoctorInput: Sendable {
    /// A numeric address and a port.
    package struct Listener: Hashable, Sendable {
        /// Address or host name.
        package var host: String
        /// Port, 0 for any.
        package var port: UInt16

        package init(host: String, port: UInt16) {
            self.host = host
            self.port = port
        }
    }

    /// A certificate, or the private key to one.
    package struct TLSFile: Hashable, Sendable {
        /// Path of the file.
        package var path: String
        /// True for a private key, which only the server's user may read.
        package var isPrivateKey: Bool

        package init(path: String, isPrivateKey: Bool) {
            self.path = path
            self.isPrivateKey = isPrivateKey
        }
    }

    /// A certificate that is served.
    package struct Certificate: Hashable, Sendable {
        /// Path of the file.
        package var path: String
        /// End of its life, seconds since 1970.
        package var expiresAtSeconds: Int64

        package init(path: String, expiresAtSeconds: Int64) {
            self.path = path
            self.expiresAtSeconds = expiresAtSeconds
        }
    }

    /// Path of the data folder.
    package var dataFolder: String
    /// `nil` when the server runs without one.
    package var configurationFile: String?
    /// Addresses to listen on.
    package var listeners: [Listener] = []
    /// Certificates and private keys of the operator.
    package var tlsFiles: [TLSFile] = []
    /// Certificates that could be read: the server's own, its authority's, and the operator's.
    package var certificates: [Certificate] = []
    /// Process of the running server; `nil` when none answers.
    package var serverProcess: Int64?
    /// Version of Landlock that keeps the running server to its folders, 0 for none; `nil` when none answers.
    package var landlockVersion: Int64?
    /// True when tokens are accepted without TLS from private networks.
    package var takesPlainTokens = true
    /// True when passwords are accepted without TLS from private networks.
    package var takesPlainPasswords = false
    package var runsTrial = false
    /// Connections the server is to hold at once.
    package var connections = 10_000
    /// Messages are refused below this.
    package var stopWritingFreeBytes: Int64 = 256 * 1024 * 1024
    /// It is time to make room below this.
    package var lowFreeBytes: Int64 = 1024 * 1024 * 1024
    /// A folder elsewhere that takes new files; `nil` for `files` in the data folder.
    package var filesDirectory: String?
    /// Uploads are refused below this, or below this share of the disk.
    package var filesStopFreeBytes: Int64 = 1024 * 1024 * 1024
    /// Share of the disk below which uploads are refused, percent.
    package var filesStopFreePercent: Int64 = 5
    /// When the folder was last verified, and what came of it; `nil` for never.
    package var lastVerify: LastVerify?
    /// The last scrub of the database by a running server; `nil` for none.
    package var lastScrub: LastScrub?
    /// The last backup that was verified; `nil` for none.
    package var lastBackup: LastBackup?
    /// Copies of the database from before an upgrade: the schema in the newest, its time in UTC milliseconds, and the bytes of all;
    /// `nil` for none.
    package var upgradeCopies: (schema: Int64, atMilliseconds: Int64, bytes: Int64)?
    /// Asks the server behind the admin socket something and says whether it answered; without it a connection that is
    /// accepted will do.
    package var serverAnswers: (@Sendable () -> Bool)?
    /// Clock that is checked.
    package var clock = Clock.system

    /// Makes an input with defaults for one data folder.
    package init(dataFolder: String) { self.dataFolder = dataFolder }
}
