/// Check that a certificate can be read, and a private key by nobody else.
func checkTLSFile(_ file: DoctorInput.TLSFile) -> Finding {
    let status: FileStatus
    do throws(SystemError) {
        status = try FileStatus(path: file.path)
    } catch {
        return Finding(
            .problem, "tls.unreadable", "the TLS file {path} cannot be read: {reason}",
            advice: "check the path in the configuration, and that the server's user may read it",
            values: ["path": file.path, "reason": error.text])
    }
    let values = ["path": file.path, "permissions": status.permissions]
    guard status.isRegular else {
        return Finding(
            .problem, "tls.not_a_file", "{path} is not a file", advice: "name a PEM file in the configuration",
            values: values)
    }
    guard smallFile(file.path) != nil else {
        return Finding(
            .problem, "tls.forbidden", "this user may not read {path} ({permissions})",
            advice: "give it to the server's user", values: values)
    }
    if file.isPrivateKey && (status.isReadableByOthers || status.isWritableByOthers) {
        return Finding(
            .problem, "tls.open_key", "others may use the private key {path} ({permissions})",
            advice: "chmod 600 {path}; if strangers have been on this machine, make a new key", values: values)
    }
    if status.isWritableByOthers {
        return Finding(
            .problem, "tls.writable", "others may change the certificate {path} ({permissions})",
            advice: "chmod go-w {path}", values: values)
    }
    return Finding(.ok, "tls.good", "{path} has fitting permissions ({permissions})", values: values)
}

/// Check that the configuration can be read, and changed by nobody else.
func checkConfigurationFile(_ path: String) -> Finding {
    let status: FileStatus
    do throws(SystemError) {
        status = try FileStatus(path: path)
    } catch {
        return Finding(
            .problem, "configuration.unreadable", "the configuration {path} cannot be read: {reason}",
            advice: "check the path, and that the server's user may read it",
            values: ["path": path, "reason": error.text])
    }
    let values = ["path": path, "permissions": status.permissions]
    if status.isWritableByOthers {
        return Finding(
            .problem, "configuration.writable", "others may change the configuration {path} ({permissions})",
            advice: "chmod go-w {path}, and read it through", values: values)
    }
    if status.isReadableByOthers {
        return Finding(
            .advice, "configuration.open",
            "everybody on this machine may read the configuration {path} ({permissions})",
            advice: "chmod o-r {path} when it holds a key or an address that is nobody's business", values: values)
    }
    return Finding(.ok, "configuration.good", "the configuration {path} is closed to others", values: values)
}

/// Finding about the setting for tokens without TLS.
func checkPlainTokens(_ areTaken: Bool) -> Finding {
    guard areTaken else {
        return Finding(.ok, "plain_tokens.off", "tokens are taken inside TLS only, or from this machine")
    }
    return Finding(
        .advice, "plain_tokens.on",
        "tokens are taken without TLS from private networks: whoever can listen there can sign in as others",
        advice: "set server.plain_tokens = \"loopback\" once every app can connect with wss://")
}

/// Explains the trial mode.
func checkTrial(_ isOn: Bool) -> Finding {
    guard isOn else { return Finding(.ok, "trial.off", "the trial mode is off: every request has to show who asks") }
    return Finding(
        .advice, "trial.on",
        "the trial mode is on: from loopback and private networks anybody can act as the people it made",
        advice: "set wukong.trial = false when done; their tokens end at the next start")
}

/// Explains the setting for passwords without TLS.
func checkPlainPasswords(_ areTaken: Bool) -> Finding {
    guard areTaken else {
        return Finding(.ok, "plain_passwords.off", "passwords are taken inside TLS only, or from this machine")
    }
    return Finding(
        .advice, "plain_passwords.on",
        "passwords are taken without TLS from private networks: whoever can listen there reads them",
        advice: "set server.plain_passwords = \"loopback\" once every app can connect with https://")
}
