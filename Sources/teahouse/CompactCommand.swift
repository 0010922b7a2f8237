import CommandLineKit
import Configuration
import Store

/// `teahouse compact`
let compactCommand = Command(
    "compact", summary: "command.compact", options: [SharedOption.data, SharedOption.config],
    examples: ["teahouse compact --data /srv/teahouse"]
) { invocation, terminal throws(CommandFailure) in
    let folder = try checkedSettings(invocation, terminal).dataFolder
    let compaction: Compaction
    do throws(StoreError) {
        compaction = try compactFolder(folder)
    } catch {
        throw CommandFailure(exitCode(for: error), DisplayText.escaped(error.description))
    }
    let values = ["before": shownBytes(compaction.before), "after": shownBytes(compaction.after)]
    try terminal.print(terminal.text("compact.done", values) + "\n")
}
