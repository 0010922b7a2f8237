/// State of a server for an app of LeanCloud's that is to come, as its own doors answered.
package struct AppState: Sendable {
    /// Outcome of something that was tried.
    package enum Trial: Sendable, Equatable {
        case passed
        /// With the reason.
        case failed(String)
        /// Not tried, because nothing may be made or because what comes before failed.
        case notTried
    }

    /// Page of a browser that is to use the server.
    package struct Origin: Sendable {
        /// `https://app.example.com`
        package var text: String
        /// Opening a WebSocket as such a page.
        package var trial: Trial

        package init(_ text: String, _ trial: Trial) {
            self.text = text
            self.trial = trial
        }
    }

    /// Certificate that the server shows for a name.
    package struct Certificate: Sendable {
        /// Authority that signed it.
        package var issuer: String
        /// True when it is for the name.
        package var coversName: Bool
        /// Days until it ends; negative when it has ended.
        package var days: Int64
        /// Why this machine does not trust it; `nil` when it does.
        package var problem: String?
        /// True when the server's own authority signed it.
        package var isOwn: Bool

        package init(issuer: String, coversName: Bool, days: Int64, problem: String?, isOwn: Bool) {
            self.issuer = issuer
            self.coversName = coversName
            self.days = days
            self.problem = problem
            self.isOwn = isOwn
        }
    }

    /// Name by which apps ask for the server.
    package struct Name: Sendable {
        /// `api.example.com`
        package var text: String
        /// A request that asks for this name.
        package var trial: Trial
        /// Addresses that the name has now; empty for none.
        package var addresses: [String] = []
        /// True when one of them is of this machine.
        package var leadsHere = false
        /// `nil` when none was shown.
        package var certificate: Certificate?

        package init(_ text: String, _ trial: Trial) {
            self.text = text
            self.trial = trial
        }
    }

    /// Cloud function of the app that is called.
    package struct Function: Sendable {
        /// Name of the function.
        package var name: String
        /// Reason of the last failure; `nil` when the last call succeeded or none was made.
        package var lastError: String?
        /// True when an operator disabled it.
        package var isDisabled: Bool

        package init(_ name: String, lastError: String?, isDisabled: Bool) {
            self.name = name
            self.lastError = lastError
            self.isDisabled = isDisabled
        }
    }

    /// ID of the app.
    package var appID: String
    /// True when the operator gave the ID; false when the first start made one.
    package var isIDGiven = false
    /// Address of the listener that was tried: `127.0.0.1:7677`.
    package var address: String
    /// `signature`, `token` or `open`.
    package var signIn: String
    /// True when anybody who has the app key may sign up.
    package var registrationIsOpen = false
    /// True when passwords are taken without TLS from private networks.
    package var takesPlainPasswords = false
    /// True when TLS is served.
    package var servesTLS = true
    /// Asking the router where the WebSocket is.
    package var router = Trial.notTried
    /// WebSocket that the router names.
    package var webSocket = ""
    /// A request with each of the two keys.
    package var keys = Trial.notTried
    /// Adding two people, and signing in with a password.
    package var people = Trial.notTried
    /// Opening a realtime session.
    package var session = Trial.notTried
    /// A message from one to the other, and finding it in the history.
    package var message = Trial.notTried
    /// Bringing a file and fetching it.
    package var upload = Trial.notTried
    /// Taking away what was made for the trial.
    package var cleanUp = Trial.notTried
    /// Pages of browsers.
    package var origins: [Origin] = []
    /// Names by which apps ask.
    package var names: [Name] = []
    /// Address of the app's cloud functions; empty for none.
    package var functionsAddress = ""
    /// Connecting to that address.
    package var functionsTrial = Trial.notTried
    /// Cloud functions that are called.
    package var functions: [Function] = []

    package init(appID: String, address: String, signIn: String) {
        self.appID = appID
        self.address = address
        self.signIn = signIn
    }

    /// True when people were to be made for a trial, and none was.
    package var isDry: Bool { self.keys == .passed && self.people == .notTried }
}

/// Judges whether an app can come. In the order in which an app meets it.
package func judgeApp(_ state: AppState) -> [Finding] {
    var findings = [checkAppID(state)]
    findings += [checkRouter(state), checkAppKeys(state)].compactMap { $0 }
    findings += state.names.flatMap { checkAppName($0, servesTLS: state.servesTLS) }
    if state.names.isEmpty {
        findings.append(
            Finding(
                .advice, "app.no_name", "no name was tried: apps reach this server by its address only",
                advice: "name the app's API domain: --host api.example.com; it belongs into server.hosts"))
    }
    findings += [checkPeople(state), checkSession(state), checkMessage(state), checkUpload(state)].compactMap { $0 }
    if state.isDry {
        findings.append(
            Finding(
                .advice, "app.dry", "signing in, a message and an upload were not tried",
                advice: "run it without --dry-run: two people and a file are made, and deleted again"))
    }
    findings += checkRegistration(state)
    findings += checkOrigins(state)
    findings += checkFunctions(state)
    if case .failed(let reason) = state.cleanUp {
        findings.append(
            Finding(
                .problem, "app.left_over", "something of the trial is left over: {reason}",
                advice: "delete each of them: teahouse ctl user delete ID, teahouse ctl file delete",
                values: ["reason": reason]))
    }
    return findings
}

private func checkAppID(_ state: AppState) -> Finding {
    let values = ["id": state.appID]
    guard !state.isIDGiven else { return Finding(.ok, "app.id_given", "the app id is {id}", values: values) }
    return Finding(
        .advice, "app.id_made", "the app id {id} was made here",
        advice: """
            apps that are installed send the id that they were built with: set leancloud.app_id to it, or build them \
            again with this one
            """,
        values: values)
}

private func checkRouter(_ state: AppState) -> Finding? {
    var values = ["address": state.address, "server": state.webSocket]
    switch state.router {
    case .passed:
        return Finding(
            .ok, "app.router_good", "the router on {address} answers: the WebSocket is at {server}", values: values)
    case .failed(let reason):
        values["reason"] = reason
        return Finding(
            .problem, "app.router_bad", "the router on {address} does not answer apps: {reason}",
            advice: "look at leancloud.public_server and listen in the configuration, and at the server's log",
            values: values)
    case .notTried: return nil
    }
}

private func checkAppKeys(_ state: AppState) -> Finding? {
    switch state.keys {
    case .passed: Finding(.ok, "app.keys_good", "the app key and the master key are taken")
    case .failed(let reason):
        Finding(
            .problem, "app.keys_bad", "the keys are not taken: {reason}",
            advice: "see teahouse ctl app keys; replace one with teahouse ctl app rotate", values: ["reason": reason])
    case .notTried: nil
    }
}

// MARK: Trying it

private func checkPeople(_ state: AppState) -> Finding? {
    switch state.people {
    case .passed: Finding(.ok, "app.people_good", "people are added and sign in with a name and a password")
    case .failed(let reason):
        Finding(
            .problem, "app.people_bad", "people cannot be added, or cannot sign in with a password: {reason}",
            advice: "look at the server's log and at teahouse ctl status", values: ["reason": reason])
    case .notTried: nil
    }
}

private func checkSession(_ state: AppState) -> Finding? {
    switch (state.session, state.signIn) {
    case (.passed, "open"):
        Finding(
            .advice, "app.session_open", "a client signs in, and so does everybody else under any name",
            advice: "have your own server sign: teahouse ctl app policy --sign-in signature")
    case (.passed, "token"):
        Finding(
            .advice, "app.session_token", "a client signs in with a token of this server",
            advice: "an app that was made for LeanCloud has none: teahouse ctl app policy --sign-in signature, or open")
    case (.passed, _):
        Finding(
            .ok, "app.session_signed",
            "a client signs in with a signature: your own server makes the same with the master key")
    case (.failed(let reason), _):
        Finding(
            .problem, "app.session_bad", "a client cannot open a session: {reason}",
            advice: "see teahouse ctl app policy for the proof that is asked for, and the server's log for the refusal",
            values: ["reason": reason])
    case (.notTried, _): nil
    }
}

private func checkMessage(_ state: AppState) -> Finding? {
    switch state.message {
    case .passed: Finding(.ok, "app.message_good", "a message arrives, and is in the history")
    case .failed(let reason):
        Finding(
            .problem, "app.message_bad", "a message does not arrive: {reason}",
            advice: "look at teahouse ctl status, teahouse ctl hook list and the word list", values: ["reason": reason])
    case .notTried: nil
    }
}

private func checkUpload(_ state: AppState) -> Finding? {
    switch state.upload {
    case .passed: Finding(.ok, "app.upload_good", "a file is taken and comes back the same")
    case .failed(let reason):
        Finding(
            .problem, "app.upload_bad", "a file does not come back: {reason}",
            advice: "look at files.sdk_links and files.public_url, and at teahouse ctl status for room on the disk",
            values: ["reason": reason])
    case .notTried: nil
    }
}

// MARK: How it is set

private func checkRegistration(_ state: AppState) -> [Finding] {
    let registration =
        state.registrationIsOpen
        ? Finding(.ok, "app.registration_open", "anybody who has the app key may sign up")
        : Finding(
            .advice, "app.registration_closed", "nobody signs up by themselves: the master key alone adds people",
            advice: "if the app signs people up: teahouse ctl setting set leancloud.registration on")
    let passwords =
        state.takesPlainPasswords
        ? Finding(
            .advice, "app.passwords_plain", "passwords are taken without TLS from private networks",
            advice: "once apps ask by https://: teahouse ctl setting set server.plain_passwords loopback")
        : Finding(
            .ok, "app.passwords_tls", "passwords are taken by https:// only: apps that sign in with one need it")
    return [registration, passwords]
}

private func checkOrigins(_ state: AppState) -> [Finding] {
    guard !state.origins.isEmpty else {
        return [
            Finding(
                .advice, "app.no_origin", "no web page of another origin may connect",
                advice:
                    "if the app runs in browsers, put its origin into server.origins, such as https://app.example.com"
            )
        ]
    }
    return state.origins.compactMap { origin in
        switch origin.trial {
        case .passed: Finding(.ok, "app.origin_good", "pages of {origin} connect", values: ["origin": origin.text])
        case .failed(let reason):
            Finding(
                .problem, "app.origin_bad", "pages of {origin} cannot connect: {reason}",
                advice: "put {origin} into server.origins and start again, letter by letter and without a slash behind",
                values: ["origin": origin.text, "reason": reason])
        case .notTried: nil
        }
    }
}

private func checkFunctions(_ state: AppState) -> [Finding] {
    guard !state.functionsAddress.isEmpty else {
        return [
            Finding(
                .advice, "app.no_functions", "no cloud function is called",
                advice: "if the app has hooks or cloud functions, set leancloud.hooks_url to where they run")
        ]
    }
    let address = state.functionsAddress
    var findings: [Finding] = []
    switch state.functionsTrial {
    case .passed:
        findings.append(
            Finding(.ok, "app.functions_good", "{address} answers", values: ["address": address]))
    case .failed(let reason):
        findings.append(
            Finding(
                .problem, "app.functions_bad", "the cloud functions at {address} do not answer: {reason}",
                advice: "start them, or correct leancloud.hooks_url", values: ["address": address, "reason": reason]))
    case .notTried: break
    }
    for function in state.functions {
        if function.isDisabled {
            findings.append(
                Finding(
                    .advice, "app.function_disabled", "{name} is disabled",
                    advice: "teahouse ctl hook enable {name}", values: ["name": function.name]))
        } else if let reason = function.lastError {
            findings.append(
                Finding(
                    .problem, "app.function_failed", "the last call of {name} failed: {reason}",
                    advice: "look at the log of the cloud functions, then run this again",
                    values: ["name": function.name, "reason": reason]))
        }
    }
    return findings
}

// MARK: Names

/// Days before the end of a certificate in which it is time to renew it.
private let renewalDays: Int64 = 30

private func checkAppName(_ name: AppState.Name, servesTLS: Bool) -> [Finding] {
    var values = ["name": name.text, "addresses": name.addresses.joined(separator: ", ")]
    var findings: [Finding] = []
    switch name.trial {
    case .passed: findings.append(Finding(.ok, "app.name_good", "this server answers to {name}", values: values))
    case .failed(let reason):
        values["reason"] = reason
        findings.append(
            Finding(
                .problem, "app.name_bad", "this server does not answer to {name}: {reason}",
                advice: "put {name} into server.hosts and start again", values: values))
    case .notTried: break
    }
    findings.append(checkPlace(name, values))
    guard servesTLS else {
        return findings + [
            Finding(
                .problem, "app.no_tls", "no TLS is served: apps ask for {name} by https://",
                advice: "set tls.enabled = true, and a certificate for {name} under tls.certificates", values: values)
        ]
    }
    return findings + [checkCertificate(name, values)]
}

private func checkPlace(_ name: AppState.Name, _ values: [String: String]) -> Finding {
    if name.addresses.isEmpty {
        return Finding(
            .advice, "app.name_unknown", "{name} has no address on this machine's network",
            advice: "on the day of the move, give it the address of this machine in the DNS", values: values)
    }
    guard name.leadsHere else {
        return Finding(
            .advice, "app.name_elsewhere", "{name} leads to {addresses}, which is not this machine",
            advice: """
                right until the day of the move; then give it the address of this machine in the DNS. Behind a \
                translating router or a proxy that is as it should be
                """,
            values: values)
    }
    return Finding(.ok, "app.name_here", "{name} leads here ({addresses})", values: values)
}

private func checkCertificate(_ name: AppState.Name, _ values: [String: String]) -> Finding {
    guard let certificate = name.certificate else {
        return Finding(
            .problem, "app.no_certificate", "no certificate is shown for {name}",
            advice: "look at tls.enabled and tls.certificates", values: values)
    }
    let values = values.merging(
        ["issuer": certificate.issuer, "days": String(certificate.days), "problem": certificate.problem ?? ""]
    ) { $1 }
    guard certificate.coversName else {
        return Finding(
            .problem, "app.certificate_other", "the certificate that is shown for {name} is for other names",
            advice: "add one for {name} under tls.certificates, or put the name into server.hosts for our own",
            values: values)
    }
    guard certificate.days >= 0 else {
        return Finding(
            .problem, "app.certificate_over", "the certificate for {name} has expired",
            advice: "renew it, then reload: systemctl reload teahouse", values: values)
    }
    if certificate.isOwn {
        return Finding(
            .advice, "app.certificate_own",
            "the certificate for {name} is of this server's own authority: devices trust it once they have installed it",
            advice: """
                installed apps that must go on without a new build need one of an authority that every device trusts: \
                tls.certificates
                """,
            values: values)
    }
    guard certificate.problem == nil else {
        return Finding(
            .problem, "app.certificate_untrusted",
            "the certificate for {name}, signed by {issuer}, is not trusted by this machine: {problem}",
            advice: "put the whole chain into its file, or take one of an authority that every device trusts",
            values: values)
    }
    guard certificate.days >= renewalDays else {
        return Finding(
            .advice, "app.certificate_ends", "the certificate for {name}, signed by {issuer}, ends in {days} days",
            advice: "renew it, then reload: systemctl reload teahouse", values: values)
    }
    return Finding(
        .ok, "app.certificate_good", "the certificate for {name} is trusted, signed by {issuer}, for {days} days more",
        values: values)
}
