import AdminAPI
import AdminConsole
import ChatModel
import Testing

@Suite("The overview") struct OverviewTests {
    /// Ten minutes in which more and more is sent.
    private static func history() -> AdminLiveHistory {
        let points = (0..<600).map { number in
            var point = AdminLivePoint(atMilliseconds: ConsoleDriver.now - Int64(600 - number) * 1_000)
            point.messages = Int64(number) / 10
            point.deliveries = Int64(number) / 5
            point.sessions = 3
            point.commits = 2
            point.commitMicroseconds = 900
            point.freeBytes = 1 << 40
            point.profileHits = 9
            point.profileLookUps = 10
            return point
        }
        return AdminLiveHistory(points: points, limits: [])
    }

    private static func server(_ request: AdminRequest) -> Result<AdminAnswer, AdminError>? {
        request == .live(.start) ? .success(.live(Self.history())) : Samples.answer(request)
    }

    @Test("ten minutes are there at once, and go on with every pulse")
    func live() {
        let console = ConsoleDriver(server: Self.server)
        #expect(
            console.shown() == [
                " Overview                                                              08:00:00",
                " ! commit_queue_requests: 95 % of 100 are used",
                "   → more is sent than the disk takes, and senders are told to wait: look at",
                "     the commit time below, and for another program that uses this disk",
                " messages in                      59/s  ▁▁▁▂▂▂▃▃▃▃▄▄▄▅▅▅▅▆▆▆▇▇▇█  max 59/s",
                " messages out                    119/s  ▁▁▁▂▂▂▃▃▃▃▄▄▄▅▅▅▅▆▆▆▇▇▇█  max 119/s",
                " refused                           0/s  ▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁  max 0/s",
                " sessions                            3  ████████████████████████  max 3",
                " commit latency, mean           900 µs  ████████████████████████  max 900 µs",
                " commit queue                    0/100  ▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁  max 0/100",
                " profile cache hits               90 %  ████████████████████████  max 90 %",
                " uploads                         0 B/s  ▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁  max 0 B/s",
                " downloads                       0 B/s  ▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁  max 0 B/s",
                " disk free                       1 TiB  ████████████████████████  max 1 TiB",
                "",
                " LIMIT                                  VALUE        PEAK",
                " commit_queue_requests                   95 %        99 %  refused 2 times",
                " VERSION                 1.0  process 42  up 1:00:00  (d1020833xx 07:00:00)",
                " ADDRESSES               127.0.0.1:7677",
                " DATA FOLDER             /srv/teahouse",
                " LAST VERIFY             d1020833xx 07:00:00: all good",
                " /srv/teahouse",
            ])
        var point = AdminLivePoint(atMilliseconds: ConsoleDriver.now)
        point.messages = 500
        let before = console.asked.count
        console.tell(.liveMetrics(point))
        #expect(console.screen().contains { $0.hasPrefix(" messages in") && $0.contains("500/s") })
        #expect(console.asked.count == before)
    }

    @Test("a wide screen has limits, facts and figures beside each other, and every size is straight")
    func wide() {
        let console = ConsoleDriver(server: Self.server)
        let wide = console.screen(200, 50)
        #expect(wide.contains { $0.contains("LIMIT") && $0.contains("VERSION") && $0.contains("FIGURE") })
        let middle = console.screen(120, 40)
        #expect(middle.contains { $0.contains("LIMIT") && $0.contains("VERSION") && !$0.contains("FIGURE") })
        for (columns, rows) in [(200, 50), (180, 40), (179, 40), (120, 40), (119, 40), (40, 10)] {
            #expect(console.isStraight(columns, rows))
        }
    }

    @Test("a course with one high peak is drawn by its logarithm, and says so")
    func logarithmic() {
        #expect(Sparkline.isUneven([1, 1, 1, 1, 1, 1, 1, 1, 1, 10_000]) == false)
        let values = Array(repeating: Int64(1), count: 99) + [10_000]
        #expect(Sparkline.isUneven(values))
        #expect(Sparkline.text([0, 100, 10_000], width: 3, isLogarithmic: true) == "▁▄█")
        #expect(Sparkline.text([0, 100, 10_000], width: 3) == "▁▁█")
    }

    @Test("when the folder was last verified is told, and what to do when it never was or was not in order")
    func lastVerify() {
        func shown(_ last: AdminLastVerify?, hasBackup: Bool = false) -> String {
            let console = ConsoleDriver { request in
                guard request == .status else { return Self.server(request) }
                var status = Samples.status()
                status.lastVerify = last
                if !hasBackup { status.lastBackup = nil }
                return .success(.status(status))
            }
            let words = console.shown().joined(separator: " ").split(separator: " ")
            return words.joined(separator: " ")
        }
        #expect(shown(nil).contains("LAST VERIFY never: stop teahouse and run teahouse verify, or run it on a backup"))
        // What a backup has copied was verified.
        #expect(!shown(nil, hasBackup: true).contains("LAST VERIFY"))
        let found = shown(AdminLastVerify(atMilliseconds: ConsoleDriver.now, findings: 7, isQuick: true))
        #expect(found.contains(": 7 faults; stop teahouse and run teahouse verify, which says what to do about each"))
        #expect(found.contains("(contents of files were not read)"))
    }

    @Test("how old the last backup is is told, and that there is none")
    func lastBackup() {
        func shown(_ last: AdminLastBackup?) -> String {
            let console = ConsoleDriver { request in
                guard request == .status else { return Self.server(request) }
                var status = Samples.status()
                status.lastBackup = last
                return .success(.status(status))
            }
            return console.screen(120, 40).joined(separator: " ").split(separator: " ").joined(separator: " ")
        }
        #expect(shown(nil).contains("LAST BACKUP never: run teahouse ctl backup DIRECTORY"))
        #expect(
            shown(Samples.status().lastBackup).contains("teahouse-20270115T070000Z, 1 GiB, verified (0123456789abcdef)")
        )
    }

    @Test("nothing is asked for while pulses come, but now and then, and it is left with the screen")
    func quiet() {
        let console = ConsoleDriver(server: Self.server)
        let before = console.asked.count
        for _ in 0..<14 { console.pass(milliseconds: 1_000) }
        #expect(console.asked.count == before)
        console.pass(milliseconds: 1_000)
        #expect(console.asked.count == before + 1)
        console.press(.character("2"))
        #expect(console.asked.contains { if case .stopFollowing = $0 { true } else { false } })
    }

    @Test("each warning has what to do about it")
    func warnings() {
        let console = ConsoleDriver(server: Self.server)
        var point = AdminLivePoint(atMilliseconds: ConsoleDriver.now)
        point.refusals = 4
        point.commits = 10_000
        point.commitMicroseconds = 300_000
        point.freeBytes = 1 << 20
        console.tell(.liveMetrics(point))
        #expect(
            Array(console.shown().dropFirst().prefix(12)) == [
                " ! commit_queue_requests: 95 % of 100 are used",
                "   → more is sent than the disk takes, and senders are told to wait: look at",
                "     the commit time below, and for another program that uses this disk",
                " ! 4 messages were refused in the last minute",
                "   → for their rate, a mute, a ban or a full queue: the figures below count",
                "     each",
                " ! commit latency 296 ms",
                "   → the disk is slow or shared: move the data folder to a faster one, or stop",
                "     what else writes to it",
                " ! only 1 MiB are free on the disk",
                "   → free some room before messages are refused: C under Files removes what",
                "     nobody needs",
            ])
    }

    @Test("a row stands still while values come: only its end changes")
    func stands() {
        let values = (0..<600).map { Int64($0 % 60) }
        let before = Sparkline.text(values, width: 40, firstNumber: 1_000)
        let after = Sparkline.text(values.dropFirst() + [0], width: 40, firstNumber: 1_001)
        #expect(before.dropFirst().prefix(38) == after.dropFirst().prefix(38))
    }
}

@Suite("Sessions on the console") struct SessionScreenTests {
    @Test("a wide screen has what waits for each session and when something last came from it", arguments: [120, 160])
    func columns(width: Int) {
        let console = ConsoleDriver()
        console.press(.character("3"))
        let (heading, row) = (console.screen(width)[2], console.screen(width)[3])
        #expect(console.isStraight(width, 24))
        #expect(heading.contains("LAST ACTIVE") && heading.contains("UNACKED") == (width == 160))
        #expect(row.contains("KiB") == (width == 160))
        #expect(!console.screen(100)[2].contains("LAST ACTIVE"))
    }

    @Test("those that match a filter are shown before they end")
    func filter() {
        let found = (1...7).map { Samples.session($0, "p\($0)") }
        let console = ConsoleDriver { request in
            switch request {
            case .people(.endSessions(_, isDryRun: true)): .success(.sessions(found, next: nil))
            case .people(.endSessions(_, isDryRun: false)): .success(.count(7))
            default: Samples.answer(request)
            }
        }
        console.press(.character("3"), .character("F"), .enter)
        #expect(console.screen().contains { $0.contains("Say which: an empty filter would mean everybody.") })
        console.press(.tab, .right, .right, .tab, .tab)
        console.type("192.168.1.")
        console.press(.enter)
        let filter = AdminSessionFilter(device: .web, address: "192.168.1.")
        #expect(console.asked.contains(.people(.endSessions(filter, isDryRun: true))))
        #expect(
            console.shown() == [
                " Sessions  1/2                                                         08:00:00",
                "   ┌ end those that match ──────────────────────────────────────────────────┐",
                ">  │ 7 sessions match:                                                      │",
                "   │ p1  app  192.168.1.1:50000                                             │",
                "   │ p2  app  192.168.1.2:50000                                             │",
                "   │ p3  app  192.168.1.3:50000                                             │",
                "   │ p4  app  192.168.1.4:50000                                             │",
                "   │ p5  app  192.168.1.5:50000                                             │",
                "   │ p6  app  192.168.1.6:50000                                             │",
                "   │ p7  app  192.168.1.7:50000                                             │",
                "   │ The devices are signed out at once; with their tokens they may sign in │",
                "   │ again.                                                                 │",
                "   │                                                                        │",
                "   │ teahouse ctl session kick --device web --address 192.168.1.            │",
                "   │ Type 7 to go on:                                                       │",
                "   │                                                                        │",
                "   │ Enter do it when it matches  Esc leave                                 │",
                "   └────────────────────────────────────────────────────────────────────────┘",
                " /srv/teahouse",
            ])
        #expect(console.changes().isEmpty)
        console.type("7")
        console.press(.enter)
        #expect(console.changes() == [.people(.endSessions(filter, isDryRun: false))])
    }

    @Test("a filter that nobody matches ends nothing")
    func nobody() {
        let console = ConsoleDriver { request in
            if case .people = request { return .success(.sessions([], next: nil)) }
            return Samples.answer(request)
        }
        console.press(.character("3"), .character("F"))
        console.type("lan")
        console.press(.enter)
        #expect(console.screen()[22] == " ! no session matches")
    }
}

@Suite("Transfers on the console") struct TransferScreenTests {
    private static func transfer(_ state: TransferState, offset: Int64) -> AdminTransfer {
        let record = TransferRecord(
            id: TransferID(rawValue: 1), key: TransferKey("th-tzyxwvutsrqponmlkjihgfedcba")!, direction: .upload,
            transferClass: .operator, state: state, owner: UserID(rawValue: 1), ownerName: UserName("ming")!,
            file: FileKey("th-fabcdefghijklmnopqrstuvwxyz")!, fileName: "片.mp4", mediaType: "video/mp4", size: 1_000,
            offset: offset, provider: "objects", createdAtMilliseconds: ConsoleDriver.now,
            updatedAtMilliseconds: ConsoleDriver.now,
            expiresAtMilliseconds: nil)
        return AdminTransfer(record, isLive: true, bytesPerSecond: 2_048, remainingSeconds: 15)
    }

    private static func server(_ request: AdminRequest) -> Result<AdminAnswer, AdminError>? {
        switch request {
        case .transfers(.list): .success(.transfers(.list([self.transfer(.progressing, offset: 250)])))
        case .transfers(.change): .success(.count(1))
        case .transfers: .success(.following)
        default: Samples.answer(request)
        }
    }

    @Test("bars move with the events, and what is not possible now says so")
    func moves() {
        let console = ConsoleDriver(server: Self.server)
        console.press(.character("5"))
        #expect(
            console.shown() == [
                " Transfers  1/1                                                        08:00:00",
                "  DIRECTION  OWNER         NAME                   DONE               STATE",
                "> upload     ming          片.mp4                 [=>        ] 25%   progressing",
                " /srv/teahouse",
            ])
        console.tell(.transfers([Self.transfer(.progressing, offset: 500)]))
        #expect(console.screen()[3].contains("50%"))
        console.press(.character("r"))
        #expect(console.screen()[22] == " ! not possible in this state")
    }

    @Test("suspending is taken back by resuming, cancelling by nothing")
    func changes() {
        let console = ConsoleDriver(server: Self.server)
        let key = TransferKey("th-tzyxwvutsrqponmlkjihgfedcba")!
        console.press(.character("5"), .character("s"), .enter)
        #expect(console.changes() == [.transfers(.change(key, .suspend))])
        console.press(.character("z"))
        #expect(console.changes().last == .transfers(.change(key, .resume)))
        console.press(.character("c"), .enter)
        #expect(console.changes().last == .transfers(.change(key, .cancel)))
        console.press(.character("z"))
        #expect(console.changes().count == 3)
    }
}

@Suite("Files on the console") struct FileScreenTests {
    private static let key = FileKey("th-fabcdefghijklmnopqrstuvwxyz")!

    private static func server(_ request: AdminRequest) -> Result<AdminAnswer, AdminError>? {
        let file = AdminFile(
            key: Self.key, name: "会议.pdf", mediaType: "application/pdf", size: 4_096, storedSize: 1_024, hash: nil,
            owner: UserName("ming")!, references: 2, isComplete: true, isDamaged: false,
            createdAtMilliseconds: ConsoleDriver.now)
        switch request {
        case .files(.list):
            var totals = FileTotals()
            totals.files = 1
            totals.fileBytes = 4_096
            totals.plainBytes = 4_096
            totals.storedBytes = 1_024
            return .success(.files(.list([file], totals)))
        case .files(.delete): return .success(.count(1))
        default: return Samples.answer(request)
        }
    }

    @Test("what each file takes, and all together")
    func list() {
        let console = ConsoleDriver(server: Self.server)
        console.press(.character("6"))
        #expect(
            console.shown() == [
                " Files  1/1                                                            08:00:00",
                " 1 files, 4 KiB; on the disk 1 KiB (25 %), kept once 0 B; 0 orphans, 0 damaged",
                " the newest first",
                "",
                "  NAME                   OWNER                SIZE     STORED   USES  STATE",
                "> 会议.pdf               ming                4 KiB      1 KiB      2  kept",
                " /srv/teahouse",
            ])
    }

    @Test("orders and filters are asked of the server")
    func queries() {
        let console = ConsoleDriver(server: Self.server)
        console.press(.character("6"), .character("o"), .character("O"), .character("E"))
        guard case .files(.list(let query))? = console.asked.last else {
            Issue.record("no list was asked for")
            return
        }
        #expect(query.order == AdminFileQuery.Order.allCases[1])
        #expect(query.onlyOrphans)
        #expect(query.onlyDamaged)
    }

    @Test("a file goes only after its name was typed, and who uses it is told")
    func delete() {
        let console = ConsoleDriver(server: Self.server)
        console.press(.character("6"), .delete, .enter)
        #expect(console.screen().contains { $0.contains("1 of them is in messages or pictures") })
        #expect(console.changes().isEmpty)
        console.type("会议.pdf")
        console.press(.enter)
        #expect(console.changes() == [.files(.delete(Self.key))])
    }
}

@Suite("Profiles on the console") struct ProfileScreenTests {
    private static func server(_ request: AdminRequest) -> Result<AdminAnswer, AdminError>? {
        switch request {
        case .profiles(.metrics):
            return .success(
                .profiles(.metrics([AdminMetric("profiles.entries", 12), AdminMetric("profiles.bytes", 2_048)])))
        case .profiles(.show):
            let profile = AdminProfile(
                name: UserName("ming")!, shownName: "小明", isKnown: true, isPlaceholder: false,
                fields: [AdminProfileField("displayName", "小明", source: "account")],
                entry: AdminProfileEntry(source: "both", ageMilliseconds: 1_000, leftMilliseconds: 59_000), watchers: 3)
            return .success(.profiles(.one(profile)))
        case .profiles: return .success(.count(1))
        default: return Samples.answer(request)
        }
    }

    @Test("the figures of the memory stand above the people")
    func metrics() {
        let console = ConsoleDriver(server: Self.server)
        console.press(.character("7"))
        #expect(
            console.shown() == [
                " Profiles  1/5                                                         08:00:00",
                " people and conversations …         12   not found in memory                 0",
                " their size                      2 KiB   thrown out because they c…          0",
                " hit rate, %                         0   watchers                            0",
                " found in memory                     0   look-ups that wait                  0",
                "",
                "  NAME                         DISPLAY NAME                 EXTERNAL ID",
                "> ming                         张小明",
                "  lan                          阿兰",
                "  zoe                          Zoë Łukasz",
                "  evil                         \\u001b[31mred\\u202e",
                "  anna",
                " /srv/teahouse",
            ])
    }

    @Test("Enter shows what people see and where it is from; i asks again")
    func profile() {
        let console = ConsoleDriver(server: Self.server)
        console.press(.character("7"), .enter)
        #expect(console.screen().contains { $0.contains("小明  (account)") })
        console.press(.escape, .character("i"))
        #expect(console.changes() == [.profiles(.invalidate(.person(UserName("ming")!)))])
        console.press(.character("A"), .enter)
        #expect(console.changes().last == .profiles(.invalidate(.all)))
    }
}
