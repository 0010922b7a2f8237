import CLinux
import Glibc

/// Check that the folder of files is closed to others and can be written to. The first start makes it: a missing folder
/// is no finding.
func checkFilesFolder(_ path: String) -> [Finding] {
    guard let status = try? FileStatus(path: path) else { return [] }
    let values = ["path": path, "permissions": status.permissions]
    guard status.isFolder, access(path, R_OK | W_OK | X_OK) == 0 else {
        return [
            Finding(
                .problem, "files_folder.unusable", "the folder of files {path} cannot be written to",
                advice: "give it to the user the server runs as, with chmod 700", values: values)
        ]
    }
    if status.isWritableByOthers {
        return [
            Finding(
                .problem, "files_folder.writable",
                "others may write to the folder of files {path} ({permissions}), and the server will not start",
                advice: "chmod 700 {path}, and run teahouse verify", values: values)
        ]
    }
    guard status.mode & 0o077 == 0 else {
        return [
            Finding(
                .advice, "files_folder.open", "others may read the files of people in {path} ({permissions})",
                advice: "chmod 700 {path}", values: values)
        ]
    }
    return [Finding(.ok, "files_folder.good", "the folder of files {path} is closed to others", values: values)]
}

/// Check that the folder elsewhere that takes new files exists: a share that is not mounted looks like an empty folder,
/// or like none.
func checkFilesDirectory(_ path: String) -> Finding {
    let values = ["path": path]
    guard let status = try? FileStatus(path: path), status.isFolder else {
        return Finding(
            .problem, "files_directory.missing", "the folder {path} for new files is not there",
            advice: "mount it, or take files.directory out of the configuration", values: values)
    }
    guard access(path, R_OK | W_OK | X_OK) == 0 else {
        return Finding(
            .problem, "files_directory.unusable", "the folder {path} for new files cannot be written to",
            advice: "give it to the user the server runs as", values: values)
    }
    guard !status.isWritableByOthers else {
        return Finding(
            .problem, "files_directory.writable",
            "others may write to the folder {path} for new files, and the server will not start",
            advice: "chmod 700 {path}", values: values)
    }
    return Finding(.ok, "files_directory.good", "the folder {path} for new files can be written to", values: values)
}

/// Check of the room for files; uploads stop earlier than messages.
func checkFilesRoom(_ path: String, stopsBelow: Int64, percent: Int64) -> [Finding] {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return [] }
    let free = Int64(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
    let total = Int64(clamping: UInt64(status.f_blocks) * UInt64(status.f_frsize))
    return [judgeFilesRoom(path, free: free, total: total, stopsBelow: stopsBelow, percent: percent)]
}

func judgeFilesRoom(_ path: String, free: Int64, total: Int64, stopsBelow: Int64, percent: Int64) -> Finding {
    let bound = max(stopsBelow, total / 100 * percent)
    let values = ["path": path, "free": readableBytes(free), "bound": readableBytes(bound)]
    if free < bound {
        return Finding(
            .problem, "files_room.none",
            "{free} are free for files on the disk of {path}: below {bound} uploads are refused",
            advice: "free some room, or lower files.stop_free_bytes and files.stop_free_percent", values: values)
    }
    if free / 2 < bound {
        return Finding(
            .advice, "files_room.low",
            "{free} are free for files on the disk of {path}: below {bound} uploads are refused",
            advice: "free some room soon", values: values)
    }
    return Finding(.ok, "files_room.good", "{free} are free for files on the disk of {path}", values: values)
}
