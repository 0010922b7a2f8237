import AdminAPI
import AdminConsole
import ChatModel
import Localization
import Testing

@Suite("Announcements to people") struct AnnouncementsTests {
    private static func notice(_ number: Int64, teams: [ChannelName] = []) -> Announcement {
        Announcement(
            number: number, title: "维护", body: "今晚八点维护一小时", sender: "ming", teams: teams,
            createdAtMilliseconds: ConsoleDriver.now - 60_000,
            sentAtMilliseconds: number == 2 ? nil : ConsoleDriver.now - 50_000,
            receivers: 40, confirmed: 12)
    }

    private func console(_ language: Language = .english, isReadOnly: Bool = false) -> ConsoleDriver {
        let console = ConsoleDriver(language: language, isReadOnly: isReadOnly) { request in
            switch request {
            case .announcements(.list):
                return .success(
                    .announcements(
                        .list(
                            [Self.notice(2), Self.notice(1, teams: [TeamServer.name, ChannelName("kitchen")!])],
                            next: nil)))
            case .announcements(.show(let number, let people, let after)):
                let all = [
                    AdminAnnouncementReceiver(name: UserName("ming")!, confirmedAtMilliseconds: ConsoleDriver.now),
                    AdminAnnouncementReceiver(name: UserName("lan")!),
                ]
                let shown = all.filter { receiver in
                    people == .all || (people == .confirmed) == (receiver.confirmedAtMilliseconds != nil)
                }
                guard people == .all else {
                    return .success(.announcements(.one(Self.notice(number), people: shown, next: nil)))
                }
                // Two pages of one person each.
                let page = after == nil ? shown.prefix(1) : shown.dropFirst()
                return .success(
                    .announcements(.one(Self.notice(number), people: Array(page), next: after == nil ? 7 : nil)))
            case .announcements(.send): return .success(.announcements(.one(Self.notice(3), people: [], next: nil)))
            case .listConversations: return TeamServer().answer(request)
            default: return Samples.answer(request)
            }
        }
        console.press(.character("0"), .character("/"))
        console.type(language == .english ? "announce" : "公告")
        console.press(.enter, .enter)
        return console
    }

    @Test("what was said to whom, and how many have confirmed it, in both languages")
    func rows() {
        #expect(
            self.console().body(100, 12) == [
                " Announcements  1/2                                                                        08:00:00",
                "  NUMBER  TIME        FOR               TITLE           TEXT                               CONFIRMED",
                ">      2  07:59:00    everybody         维护            今晚八点维护一小时                    12/40…",
                "       1  07:59:00    tea, kitchen      维护            今晚八点维护一小时                     12/40",
                "",
                "",
                "",
                "",
                "",
                " /srv/teahouse",
                " Enter show confirmations  n to everybody  t to the members of teams  ? help",
            ])
        #expect(
            self.console(.chinese).body(100, 12) == [
                " 公告  1/2                                                                                 08:00:00",
                "    编号  时间        接收者            标题            内容                                  已确认",
                ">      2  07:59:00    所有人            维护            今晚八点维护一小时                    12/40…",
                "       1  07:59:00    tea, kitchen      维护            今晚八点维护一小时                     12/40",
                "",
                "",
                "",
                "",
                "",
                " /srv/teahouse",
                " Enter 谁已确认  n 通知所有人  t 通知群成员  ? 帮助",
            ])
    }

    @Test("who of those who got it has confirmed it, page by page, and who has not")
    func one() {
        let console = self.console()
        console.press(.enter)
        #expect(
            console.body(80, 20) == [
                " Announcements › Announcement 2  1/2                                   08:00:00",
                " TITLE         维护",
                " TEXT          今晚八点维护一小时",
                " FOR           everybody",
                " SENDER        ming",
                " CREATED       d1020833xx 07:59:00",
                " SENT          being sent",
                " CONFIRMED     12 / 40",
                "",
                " Everybody who got it",
                "  NAME                                                      CONFIRMED",
                "> ming                                                      d1020833xx 08:00:00",
                "  lan                                                       no",
                "",
                "",
                "",
                "",
                " /srv/teahouse",
                " Enter open the person  t all, confirmed, not confirmed  ? help",
            ])
        console.press(.character("t"), .character("t"))
        #expect(console.screen()[10].hasPrefix(" Not confirmed"))
        #expect(console.screen()[12].hasPrefix("> lan"))
        #expect(!console.screen().contains { $0.contains("ming   ") })
    }

    @Test("to everybody, with what that means; a text is needed")
    func everybody() {
        let console = self.console()
        console.press(.character("n"), .enter)
        #expect(console.screen().contains { $0.contains("The text is missing.") })
        console.type("维护")
        console.press(.tab)
        console.type("今晚八点")
        console.press(.enter)
        #expect(console.screen().contains { $0.contains("teahouse ctl notice send 今晚八点 --title 维护") })
        #expect(console.screen().contains { $0.contains("Every person with an account gets it") })
        #expect(console.changes().isEmpty)
        console.press(.enter)
        #expect(console.changes() == [.announcements(.send(AdminNewAnnouncement(title: "维护", text: "今晚八点")))])
        console.press(.character("z"))
        #expect(console.changes().count == 1)
    }

    @Test("to the members of the chosen teams")
    func teams() {
        let console = self.console()
        console.press(.character("t"), .character(" "), .enter, .tab)
        console.type("hi")
        console.press(.enter)
        #expect(console.screen().contains { $0.contains("teahouse ctl notice send hi --team tea") })
        console.press(.enter)
        #expect(
            console.changes() == [.announcements(.send(AdminNewAnnouncement(text: "hi", teams: [TeamServer.name])))])
    }

    @Test("read-only: nothing is sent")
    func readOnly() {
        let console = self.console(isReadOnly: true)
        for key in "nt" {
            console.press(.character(key))
            #expect(console.screen()[22] == " ! read-only: nothing is changed here")
        }
    }
}
