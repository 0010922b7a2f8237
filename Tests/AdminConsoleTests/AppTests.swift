import AdminAPI
import AdminConsole
import ChatModel
import Testing

private enum Rome {
    static let app = AdminApp(
        appID: "rome", appKeyHint: "abcd…", masterKeyHint: "efgh…", signIn: "signature", signsConversations: true,
        signsHistory: false, createsUsers: true, signatureWindowSeconds: 300, sessionTokenSeconds: 60,
        signatures: [AdminSignatureCounts(action: "open", valid: 3, missing: 0, wrong: 2, expired: 0, replayed: 0)])

    static func answer(_ request: AdminRequest) -> Result<AdminAnswer, AdminError>? {
        switch request {
        case .app(.show), .app(.set): .success(.app(.app(Self.app)))
        case .app(.sign):
            .success(.app(.signed(AdminAppSigned(text: "rome:Tom:5:n", signature: "0a1b", timestamp: 5, nonce: "n"))))
        case .filters(.list):
            .success(
                .filters(
                    .rules(
                        [AdminFilterRule(number: 4, receiver: UserName("ming"), word: "tea", action: .drop)],
                        next: nil)))
        case .filters(.remove): .success(.filters(.rule(AdminFilterRule(number: 4, action: .drop))))
        default: Samples.answer(request)
        }
    }
}

@Suite("The app and the filter rules") struct AppTests {
    @Test("the app shows what clients have to prove and how that went")
    func shown() {
        let console = ConsoleDriver(server: Rome.answer)
        console.go(to: "App")
        let screen = console.screen()
        #expect(screen.contains { $0.contains("rome") })
        #expect(screen.contains { $0.contains("signature of the app's own server") })
        #expect(screen.contains { $0.contains("open") && $0.contains("3") && $0.contains("2") })
    }

    @Test("the tester asks for a signature as ctl does, and shows what was signed")
    func signing() {
        let console = ConsoleDriver(server: Rome.answer)
        console.go(to: "App")
        console.press(.character("t"))
        #expect(console.screen().contains { $0.contains("Say for which client it is.") })
        console.press(.tab)
        for letter in "Tom" { console.press(.character(letter)) }
        #expect(console.screen().contains { $0.contains("teahouse ctl app sign open --client Tom") })
        console.press(.enter)
        #expect(console.changes() == [.app(.sign(AdminAppSigning(.open, client: "Tom")))])
        let page = console.screen()
        #expect(page.contains { $0.contains("rome:Tom:5:n") })
        #expect(page.contains { $0.contains("0a1b") })
    }

    @Test("letting everybody in is asked about first")
    func opening() {
        let console = ConsoleDriver(server: Rome.answer)
        console.go(to: "App")
        console.press(.character("e"), .left, .enter)
        #expect(console.changes().isEmpty)
        console.press(.enter)
        var patch = AdminAppPatch()
        patch.signIn = "open"
        patch.signsConversations = true
        patch.signsHistory = false
        patch.createsUsers = true
        #expect(console.changes() == [.app(.set(patch))])
    }

    @Test("filter rules are listed and deleted")
    func rules() {
        let console = ConsoleDriver(server: Rome.answer)
        console.go(to: "Filter rules")
        #expect(console.screen().contains { $0.contains("ming") && $0.contains("tea") && $0.contains("not shown") })
        console.press(.delete, .enter)
        #expect(console.changes() == [.filters(.remove(4))])
    }
}
