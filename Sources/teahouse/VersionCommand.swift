import CAssets
import COpenSSL
import CSodium
import CommandLineKit
import Server
import Store

/// `teahouse version`: this program, and the libraries inside it whose security fixes need a new build.
let versionCommand = Command(
    "version", summary: "command.version",
    options: [CommandOption("notices", .flag, help: "option.notices")],
    examples: ["teahouse version", "teahouse version --notices"]
) { invocation, terminal throws(CommandFailure) in
    if invocation.has("notices") { return try terminal.print(notices()) }
    let openSSL = String(cString: OpenSSL_version(OPENSSL_VERSION_STRING))
    let sodium = String(cString: sodium_version_string())
    try terminal.print("teahouse \(Version.text)\n")
    try terminal.print("with SQLite \(sqliteVersion), OpenSSL \(openSSL), libsodium \(sodium)\n")
}

/// Copyright notices and licences of what is inside the binary and is not ours.
private func notices() -> String {
    var length = 0
    let text = cassets_notices(&length)
    // SAFETY: the bytes lie in the binary for as long as it runs.
    return String(decoding: UnsafeRawBufferPointer(start: text, count: length), as: UTF8.self)
}
