/// Check that the data folder exists, belongs to the server's user, and is closed to others.
func checkDataFolder(_ path: String, runningAs user: UInt32) -> [Finding] {
    let status: FileStatus
    do throws(SystemError) {
        status = try FileStatus(path: path)
    } catch {
        return [missingFolder(path, error)]
    }
    guard status.isFolder else {
        return [
            Finding(
                .problem, "data_folder.not_a_folder", "{path} is not a folder",
                advice: "choose another one with --data", values: ["path": path])
        ]
    }
    let found = [checkOwner(path, status, runningAs: user), checkPermissions(path, status)].compactMap { $0 }
    guard found.isEmpty else { return found }
    return [
        Finding(
            .ok, "data_folder.good", "the data folder {path} belongs to {owner} and is closed to others",
            values: ["path": path, "owner": userName(status.owner)])
    ]
}

private func missingFolder(_ path: String, _ error: SystemError) -> Finding {
    guard error.isMissing else {
        return Finding(
            .problem, "data_folder.unreadable", "the data folder {path} cannot be looked at: {reason}",
            advice: "run doctor as the user the server runs as", values: ["path": path, "reason": error.text])
    }
    return Finding(
        .advice, "data_folder.missing", "the data folder {path} does not exist yet",
        advice: "the first start makes it; if the server ran before, name its folder with --data",
        values: ["path": path])
}

private func checkOwner(_ path: String, _ status: FileStatus, runningAs user: UInt32) -> Finding? {
    guard status.owner != user else { return nil }
    let values = ["path": path, "owner": userName(status.owner), "user": userName(user)]
    guard user == 0 else {
        return Finding(
            .problem, "data_folder.foreign", "the data folder {path} belongs to {owner}, not to {user}",
            advice: "run teahouse as {owner}, or give the folder away: chown -R {user} {path}", values: values)
    }
    return Finding(
        .advice, "data_folder.run_as_root", "the data folder {path} belongs to {owner}, and this is root",
        advice: "run the server as {owner}: files that root makes there would shut {owner} out", values: values)
}

private func checkPermissions(_ path: String, _ status: FileStatus) -> Finding? {
    let values = ["path": path, "permissions": status.permissions]
    if status.isWritableByOthers {
        return Finding(
            .problem, "data_folder.writable",
            "others may write to the data folder {path} ({permissions}), and the server will not start",
            advice: "run chmod 700 {path}, and check the files in it", values: values)
    }
    guard status.mode & 0o077 != 0 else { return nil }
    return Finding(
        .advice, "data_folder.open", "others may look into the data folder {path} ({permissions})",
        advice: "chmod 700 {path}", values: values)
}
