import CommandLineKit
import Server

/// `teahouse version`
let versionCommand = Command(
    "version", summary: "command.version", examples: ["teahouse version"]
) { _, terminal throws(CommandFailure) in
    try terminal.print("teahouse \(Version.text)\n")
}
