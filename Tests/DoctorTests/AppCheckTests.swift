import Testing

@testable import Doctor

@Suite("An app that is to come")
struct AppCheckTests {
    private func state() -> AppState {
        var state = AppState(appID: "abc-gzGzoHsz", address: "127.0.0.1:7677", signIn: "signature")
        state.isIDGiven = true
        state.registrationIsOpen = true
        state.router = .passed
        state.keys = .passed
        state.people = .passed
        state.session = .passed
        state.message = .passed
        state.upload = .passed
        state.cleanUp = .passed
        state.origins = [AppState.Origin("https://app.example.com", .passed)]
        state.functionsAddress = "http://127.0.0.1:3000"
        state.functionsTrial = .passed
        var name = AppState.Name("api.example.com", .passed)
        name.addresses = ["192.168.1.5"]
        name.leadsHere = true
        name.certificate = AppState.Certificate(
            issuer: "R11", coversName: true, days: 60, problem: nil, isOwn: false)
        state.names = [name]
        return state
    }

    private func judged(_ change: (inout AppState) -> Void) -> [String: Severity] {
        var state = self.state()
        change(&state)
        let findings = judgeApp(state)
        for finding in findings {
            #expect(!finding.text.contains("{") && !(finding.advice ?? "").contains("{"), "\(finding)")
            #expect(finding.severity == .ok || finding.advice != nil, "no remedy: \(finding)")
        }
        return Dictionary(findings.map { ($0.key, $0.severity) }) { first, _ in first }
    }

    @Test("everything as it should be has nothing to do")
    func good() {
        let judged = self.judged { _ in }
        #expect(judged.values.allSatisfy { $0 == .ok } && judged.count >= 13, "\(judged)")
    }

    @Test("each trial that failed is a problem with its reason and its remedy")
    func failed() {
        let parts: [(WritableKeyPath<AppState, AppState.Trial>, String)] = [
            (\.router, "router_bad"), (\.keys, "keys_bad"), (\.people, "people_bad"), (\.session, "session_bad"),
            (\.message, "message_bad"), (\.upload, "upload_bad"), (\.cleanUp, "left_over"),
            (\.functionsTrial, "functions_bad"),
        ]
        for (part, key) in parts {
            var state = self.state()
            state[keyPath: part] = .failed("HTTP 500")
            let found = judgeApp(state).filter { $0.severity == .problem }
            #expect(found.map(\.key) == ["doctor.app.\(key)"])
            #expect(found.first?.text.contains("HTTP 500") == true)
        }
        #expect(self.judged { $0.origins[0].trial = .failed("403") }["doctor.app.origin_bad"] == .problem)
        #expect(self.judged { $0.names[0].trial = .failed("421") }["doctor.app.name_bad"] == .problem)
    }

    @Test("who may come in without a proof is said, and is no problem")
    func signIn() {
        #expect(self.judged { $0.signIn = "open" }["doctor.app.session_open"] == .advice)
        #expect(self.judged { $0.signIn = "token" }["doctor.app.session_token"] == .advice)
        #expect(self.judged { $0.registrationIsOpen = false }["doctor.app.registration_closed"] == .advice)
        #expect(self.judged { $0.takesPlainPasswords = true }["doctor.app.passwords_plain"] == .advice)
        #expect(self.judged { $0.isIDGiven = false }["doctor.app.id_made"] == .advice)
    }

    @Test(
        "certificates: for the name, not over, trusted, and for how long",
        arguments: [
            (false, 60, nil, false, "certificate_other", Severity.problem),
            (true, -1, "certificate has expired", false, "certificate_over", .problem),
            (true, 60, "self-signed certificate in certificate chain", true, "certificate_own", .advice),
            (true, 60, "unable to get local issuer certificate", false, "certificate_untrusted", .problem),
            (true, 29, nil, false, "certificate_ends", .advice), (true, 30, nil, false, "certificate_good", .ok),
        ] as [(Bool, Int64, String?, Bool, String, Severity)])
    func certificate(
        _ covers: Bool, _ days: Int64, _ problem: String?, _ isOwn: Bool, _ key: String, _ severity: Severity
    ) {
        let judged = self.judged {
            $0.names[0].certificate = AppState.Certificate(
                issuer: "R11", coversName: covers, days: days, problem: problem, isOwn: isOwn)
        }
        #expect(judged["doctor.app.\(key)"] == severity, "\(judged)")
    }

    @Test("a name that leads elsewhere is right until the day of the move")
    func names() {
        #expect(self.judged { $0.names[0].leadsHere = false }["doctor.app.name_elsewhere"] == .advice)
        #expect(self.judged { $0.names[0].addresses = [] }["doctor.app.name_unknown"] == .advice)
        #expect(self.judged { $0.names[0].certificate = nil }["doctor.app.no_certificate"] == .problem)
        #expect(self.judged { $0.servesTLS = false }["doctor.app.no_tls"] == .problem)
        #expect(self.judged { $0.names = [] }["doctor.app.no_name"] == .advice)
        #expect(self.judged { $0.origins = [] }["doctor.app.no_origin"] == .advice)
    }

    @Test("cloud functions: none, disabled, and failed at the last call")
    func functions() {
        #expect(self.judged { $0.functionsAddress = "" }["doctor.app.no_functions"] == .advice)
        let judged = self.judged {
            $0.functions = [
                AppState.Function("_messageReceived", lastError: "HTTP 500", isDisabled: false),
                AppState.Function("_messageSent", lastError: nil, isDisabled: true),
                AppState.Function("_conversationStart", lastError: nil, isDisabled: false),
            ]
        }
        #expect(judged["doctor.app.function_failed"] == .problem)
        #expect(judged["doctor.app.function_disabled"] == .advice)
    }

    @Test("what was not tried is said")
    func dry() {
        let judged = self.judged {
            ($0.people, $0.session, $0.message, $0.upload) = (.notTried, .notTried, .notTried, .notTried)
        }
        #expect(judged["doctor.app.dry"] == .advice)
        #expect(judged.keys.allSatisfy { !$0.hasPrefix("doctor.app.people") && !$0.hasPrefix("doctor.app.message") })
    }
}
