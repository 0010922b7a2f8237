import COpenSSL
import CSodium
import CommandLineKit
import Server
import Store

/// `teahouse version`: this program, and the libraries inside it whose security fixes need a new build.
let versionCommand = Command(
    "version", summary: "command.version", examples: ["teahouse version"]
) { _, terminal throws(CommandFailure) in
    let openSSL = String(cString: OpenSSL_version(OPENSSL_VERSION_STRING))
    let sodium = String(cString: sodium_version_string())
    try terminal.print("teahouse \(Version.text)\n")
    try terminal.print("with SQLite \(sqliteVersion), OpenSSL \(openSSL), libsodium \(sodium)\n")
}
