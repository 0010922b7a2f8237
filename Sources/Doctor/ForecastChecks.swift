/// Forecast of when the disk is full: messages are refused from then on.
func checkRoomForecast(_ history: RoomHistory, stopsBelow: Int64, now: Int64) -> [Finding] {
    guard let perDay = history.bytesPerDay(at: now), let last = history.samples.last else { return [] }
    guard perDay >= 1_024 else {
        return [Finding(.ok, "room_forecast.steady", "the disk of the data folder does not fill up")]
    }
    let days = Double(max(0, last.freeBytes - stopsBelow)) / perDay
    let values = [
        "days": String(Int64(min(days, 36_500))), "rate": readableBytes(Int64(perDay)),
        "bound": readableBytes(stopsBelow),
    ]
    let found = "at {rate} a day the disk of the data folder is down to {bound} in {days} days"
    if days < 30 {
        return [
            Finding(
                days < 3 ? .problem : .advice, "room_forecast.soon", "\(found): messages are refused then",
                advice: "free some room, or move files elsewhere (files.directory)", values: values)
        ]
    }
    return [Finding(.ok, "room_forecast.good", found, values: values)]
}

/// Check of the queue in which the kernel keeps connections that nobody has accepted yet: after a restart everybody comes at
/// once.
///
/// - Parameter text: content of `/proc/sys/net/core/somaxconn`.
func checkBacklog(_ text: String?) -> [Finding] {
    guard let text, let bound = Int64(text.filter(\.isNumber)) else { return [] }
    let values = ["bound": String(bound)]
    guard bound < 1_024 else {
        return [Finding(.ok, "backlog.good", "{bound} connections may wait to be accepted", values: values)]
    }
    return [
        Finding(
            .advice, "backlog.short",
            "only {bound} connections may wait to be accepted: after a restart apps come all at once",
            advice: "sysctl -w net.core.somaxconn=4096, and a file in /etc/sysctl.d for the next start", values: values)
    ]
}

/// Check of what the running server could still do to the machine.
///
/// - Parameter status: content of `/proc/PID/status` of the server; `nil` when none runs, or another machine's kernel hides it.
func checkSandbox(_ status: String?) -> [Finding] {
    guard let status else { return [] }
    func field(_ name: String) -> String? {
        let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        return line.map { String($0.dropFirst(name.utf8.count + 1).drop { $0 == "\t" || $0 == " " }) }
    }
    // In a container the number may be another process's out here.
    guard field("Name") == "teahouse", let users = field("Uid"), let capabilities = field("CapEff"),
        let isNarrow = field("NoNewPrivs"),
        let filter = field("Seccomp")
    else { return [] }
    if users.split(whereSeparator: { $0 == "\t" || $0 == " " }).dropFirst().first == "0" {
        return [
            Finding(
                .advice, "sandbox.root", "the server runs as root",
                advice: "run it as a user of its own, as the package's service does")
        ]
    }
    var open: [String] = []
    if capabilities.contains(where: { $0 != "0" }) { open.append("capabilities") }
    if isNarrow != "1" { open.append("no_new_privs") }
    if filter != "2" { open.append("seccomp") }
    guard !open.isEmpty else {
        return [
            Finding(.ok, "sandbox.good", "the server has no capabilities, gets none, and has a filter of system calls")
        ]
    }
    return [
        Finding(
            .advice, "sandbox.open", "the server runs without a sandbox: {open}",
            advice: "run it by the package's service, or take the sandbox from its unit",
            values: ["open": open.joined(separator: ", ")])
    ]
}

/// Check that the running server keeps itself to its folders.
func checkConfinement(_ version: Int64?) -> [Finding] {
    guard let version else { return [] }
    if version > 0 {
        return [
            Finding(
                .ok, "sandbox.confined", "the server keeps itself to its folders (Landlock {version})",
                values: ["version": String(version)])
        ]
    }
    return [
        Finding(
            .advice, "sandbox.unconfined", "the server does not keep itself to its folders",
            advice: """
                Linux 5.19 and newer can, where /sys/kernel/security/lsm names landlock and server.confine is not \
                false
                """)
    ]
}

/// Check of how long certificates last.
func checkCertificate(_ certificate: DoctorInput.Certificate, now: Int64) -> Finding {
    let days = (certificate.expiresAtSeconds - now / 1_000) / 86_400
    let values = ["path": certificate.path, "days": String(days)]
    if certificate.expiresAtSeconds * 1_000 <= now {
        return Finding(
            .problem, "certificate.over", "the certificate {path} has expired",
            advice: "renew it, then systemctl reload teahouse; the server renews its own when it starts", values: values
        )
    }
    if days < 14 {
        return Finding(
            .advice, "certificate.soon", "the certificate {path} expires in {days} days",
            advice: "renew it, then systemctl reload teahouse; the server renews its own by itself", values: values)
    }
    return Finding(.ok, "certificate.good", "the certificate {path} is good for {days} days", values: values)
}
