import CLinux
import Execution
import Glibc

/// Files the server opens beside its connections: database, log, sockets, uploads.
private let otherFiles: UInt64 = 256

/// How many files a process of this user may open: now, and at most.
func openFileLimit() -> (soft: UInt64, hard: UInt64) {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return (0, 0) }
    return (UInt64(limit.rlim_cur), UInt64(limit.rlim_max))
}

/// Check that the file limit allows every connection.
func checkOpenFiles(connections: Int, limit: (soft: UInt64, hard: UInt64)) -> Finding {
    let needed = UInt64(max(0, connections)) + otherFiles
    let values = [
        "soft": String(limit.soft), "hard": String(limit.hard), "needed": String(needed),
        "connections": String(connections),
    ]
    if limit.soft >= needed {
        return Finding(.ok, "open_files.good", "{soft} open files are allowed, {needed} are needed", values: values)
    }
    if limit.hard >= needed {
        return Finding(
            .advice, "open_files.soft",
            "{soft} open files are allowed, {needed} are needed for {connections} connections",
            advice:
                "raise the limit to {needed}: ulimit -n {needed} before the start, or LimitNOFILE= in the systemd unit",
            values: values)
    }
    return Finding(
        .problem, "open_files.hard",
        "at most {hard} open files are allowed, {needed} are needed for {connections} connections",
        advice:
            "set LimitNOFILE={needed} in the systemd unit or in /etc/security/limits.conf, or allow fewer connections",
        values: values)
}

/// Check of the clocks, which message times and expiry depend on.
func checkClock(_ clock: Clock) -> Finding {
    let first = clock.now()
    let wall = clock.wallMilliseconds()
    let year = yearOf(milliseconds: wall)
    let values = ["year": String(year)]
    guard clock.now() >= first else {
        return Finding(
            .problem, "clock.backwards", "the monotonic clock runs backwards",
            advice: "this is a fault of the kernel or the virtual machine: restart it", values: values)
    }
    guard (2_025...2_100).contains(year) else {
        return Finding(
            .problem, "clock.wrong", "the clock says it is the year {year}",
            advice: "set it before the start (timedatectl), for messages keep the time they were given", values: values)
    }
    return Finding(.ok, "clock.good", "the clock says it is the year {year}", values: values)
}

/// Check that a time service keeps the clock: 1 yes, 0 no, anything else when the kernel does not tell.
func checkSynchronisation(_ answer: Int32) -> [Finding] {
    switch answer {
    case 1: [Finding(.ok, "clock.synchronised", "the clock is kept right by a time service")]
    case 0:
        [
            Finding(
                .advice, "clock.unsynchronised", "the clock of this machine is not synchronised",
                advice: "turn on systemd-timesyncd or chrony: message times come from it")
        ]
    default: []
    }
}

private func yearOf(milliseconds: Int64) -> Int {
    var seconds = time_t(milliseconds / 1_000)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    return Int(parts.tm_year) + 1_900
}

/// Least memory that should be available, bytes.
private let littleMemory: Int64 = 256 * 1024 * 1024
/// Machines with less memory than this want swap, bytes.
private let smallMachine: Int64 = 1024 * 1024 * 1024

/// Check of free memory; `meminfo` is the text of `/proc/meminfo`.
func checkMemory(_ meminfo: String) -> [Finding] {
    guard let total = bytes("MemTotal", in: meminfo), let available = bytes("MemAvailable", in: meminfo) else {
        return []
    }
    let swap = bytes("SwapTotal", in: meminfo) ?? 0
    let values = ["total": readableBytes(total), "available": readableBytes(available), "swap": readableBytes(swap)]
    var findings: [Finding] = []
    if available < littleMemory {
        findings.append(
            Finding(
                .advice, "memory.low", "{available} of {total} memory are available",
                advice: "stop other programs on this machine, or add memory", values: values))
    }
    if total < smallMachine && swap == 0 {
        findings.append(
            Finding(
                .advice, "memory.no_swap", "the machine has {total} memory and no swap",
                advice: "add a swap file, so that a busy moment does not end the server", values: values))
    }
    guard findings.isEmpty else { return findings }
    return [Finding(.ok, "memory.good", "{available} of {total} memory are available, {swap} swap", values: values)]
}

/// A line such as `MemTotal:  8150000 kB`.
private func bytes(_ key: String, in meminfo: String) -> Int64? {
    for line in meminfo.split(separator: "\n") where line.hasPrefix("\(key):") {
        let words = line.split(separator: " ")
        guard words.count >= 2, let kibibytes = Int64(words[1]) else { return nil }
        return kibibytes * 1_024
    }
    return nil
}
