import Store

/// Check that this build can read the database.
func checkDatabase(_ folder: String) -> [Finding] {
    if let lost = lostDatabase(in: folder) {
        return [
            Finding(
                .problem, "database.lost", "the server will not start: {reason}",
                advice: "look for teahouse.db in the last backup before anything else",
                values: ["reason": lost])
        ]
    }
    do throws(StoreError) {
        guard let found = try schemaVersion(ofDatabaseIn: folder) else { return [] }
        return [judgeSchema(found, supported: newestSchemaVersion)]
    } catch {
        return [
            Finding(
                .problem, "database.unreadable", "the database in {path} cannot be read: {reason}",
                advice: "run teahouse verify; if it finds damage, restore the last backup",
                values: ["path": folder, "reason": "\(error)"])
        ]
    }
}

func judgeSchema(_ found: Int, supported: Int) -> Finding {
    let values = ["found": String(found), "supported": String(supported)]
    if found == 0 {
        return Finding(
            .problem, "database.lost", "the server will not start: {reason}",
            advice: "look for teahouse.db in the last backup before anything else",
            values: ["reason": "teahouse.db has no tables"])
    }
    if found > supported {
        return Finding(
            .problem, "database.newer", "the database has schema {found}, this teahouse knows up to {supported}",
            advice: "run the newer teahouse, or restore the backup made before the upgrade", values: values)
    }
    if found < supported {
        return Finding(
            .advice, "database.older", "the database has schema {found}, this teahouse brings it to {supported}",
            advice: "make a backup before the next start: there is no way back", values: values)
    }
    return Finding(.ok, "database.good", "the database has schema {found}, which is this teahouse's", values: values)
}

/// Warning when the clock is far from the time of the last use of the data: nothing would be deleted for its age then.
func checkClockAgainstData(_ folder: String, now: Int64) -> [Finding] {
    guard lostDatabase(in: folder) == nil, let last = try? lastBelievedTime(ofDatabaseIn: folder) else { return [] }
    let days = (now - last) / 86_400_000
    guard days < 0 || days > farDays else { return [] }
    return [
        Finding(
            .problem, days < 0 ? "clock.behind_data" : "clock.ahead_of_data",
            days < 0
                ? "the clock is {days} days behind the last use of the data"
                : "the clock is {days} days ahead of the last use of the data",
            advice:
                "set the clock, or say that it is right (server.clock trusted): until then nothing is deleted by age",
            values: ["days": String(days.magnitude)])
    ]
}

/// Days that a server may have been switched off.
private let farDays: Int64 = 400

/// Days after which the last verify is old.
private let verifyDays: Int64 = 30

func checkLastVerify(_ last: LastVerify?, now: Int64) -> Finding {
    guard let last else {
        return Finding(
            .advice, "verify.never", "the database was never verified",
            advice: "run teahouse verify on a backup now and then: a backup counts once it was read")
    }
    let days = max(0, now - last.atMilliseconds) / 86_400_000
    let values = ["days": String(days), "count": String(last.findings)]
    guard last.findings == 0 else {
        return Finding(
            .problem, "verify.found", "the database was verified {days} days ago, and {count} things were wrong",
            advice: "stop teahouse and run teahouse verify: it says what to do about each", values: values)
    }
    guard days >= verifyDays else {
        return Finding(.ok, "verify.good", "the database was verified {days} days ago", values: values)
    }
    return Finding(
        .advice, "verify.old", "the database was last verified {days} days ago",
        advice: "run teahouse verify on a fresh backup", values: values)
}

/// Days after which the last backup is old.
private let backupDays: Int64 = 7

func checkLastBackup(_ last: LastBackup?, now: Int64) -> Finding {
    guard let last else {
        return Finding(
            .advice, "backup.never", "no backup of this folder was ever made and verified",
            advice: "run teahouse ctl backup DIRECTORY, with the directory on another disk")
    }
    let days = max(0, now - last.atMilliseconds) / 86_400_000
    let values = ["days": String(days), "name": last.name, "proof": last.proof]
    guard days >= backupDays else {
        return Finding(
            .ok, "backup.good", "the backup {name} ({proof}) is {days} days old and was verified", values: values)
    }
    return Finding(
        .advice, "backup.old", "the last backup, {name}, is {days} days old",
        advice: "run teahouse ctl backup DIRECTORY", values: values)
}

func checkLastScrub(_ last: LastScrub, now: Int64) -> Finding {
    let hours = max(0, now - last.atMilliseconds) / 3_600_000
    let values = [
        "hours": String(hours), "rows": String(last.rows), "tables": String(last.tables),
        "passedOver": String(last.passedOver), "count": String(last.findings),
    ]
    guard last.findings == 0 else {
        return Finding(
            .problem, "scrub.found", "the server read its database {hours} hours ago, and {count} things were wrong",
            advice: "keep a copy of the folder, stop teahouse and run teahouse verify", values: values)
    }
    return Finding(
        .ok, "scrub.good",
        """
        the server read its database {hours} hours ago: {rows} bodies and {tables} tables are in order, {passedOver} tables took \
        too long
        """, values: values)
}

/// Days after which nobody goes back from an upgrade any more.
private let upgradeDays: Int64 = 30

func checkUpgradeCopies(_ copies: (schema: Int64, atMilliseconds: Int64, bytes: Int64), now: Int64) -> Finding {
    let days = max(0, now - copies.atMilliseconds) / 86_400_000
    let values = ["days": String(days), "schema": String(copies.schema), "mebibytes": String(copies.bytes >> 20)]
    guard days >= upgradeDays else {
        return Finding(
            .ok, "upgrade.kept",
            "the database of before the upgrade {days} days ago, schema {schema}, is kept: teahouse rollback goes back to it",
            values: values)
    }
    return Finding(
        .advice, "upgrade.old",
        "the database of before the upgrade {days} days ago is still kept: its copies take {mebibytes} MiB",
        advice: "remove the folder before-upgrade in the data folder when you do not want to go back any more",
        values: values)
}

/// Note about the version of SQLite inside.
func sqliteNote() -> Finding {
    Finding(
        .ok, "sqlite.note",
        """
        SQLite {version} is built in; some versions can damage a log that two connections write or empty, so teahouse \
        has one connection that does either
        """, values: ["version": sqliteVersion])
}
