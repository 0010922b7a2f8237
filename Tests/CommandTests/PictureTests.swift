import AdminAPI
import ChatModel
import CommandLineKit
import Execution
import Localization
import Testing

@testable import teahouse

@Suite("Bars, amounts and times") struct QuantityTests {
    @Test(
        "bytes have one unit and three digits at most",
        arguments: [
            (0, "0 B"), (-5, "0 B"), (1_023, "1023 B"), (1_024, "1 KiB"), (1_536, "1.5 KiB"), (10_240, "10 KiB"),
            (123 << 20, "123 MiB"), ((123 << 20) + (1 << 19), "123 MiB"), (3 << 40, "3 TiB"), (.max, "7.9 EiB"),
        ] as [(Int64, String)])
    func bytes(_ count: Int64, _ shown: String) {
        #expect(shownBytes(count) == shown)
        #expect(displayWidth(of: shown) <= 9)
    }

    @Test(
        "times",
        arguments: [
            (-1, "0s"), (59, "59s"), (60, "1:00"), (3_599, "59:59"), (3_600, "1:00:00"), (172_799, "47:59:59"),
            (172_800, "2d 0h"), (277_000, "3d 4h"),
        ] as [(Int64, String)])
    func duration(_ seconds: Int64, _ shown: String) { #expect(shownDuration(seconds: seconds) == shown) }

    @Test(
        "a hundred percent is all of it, and nothing overflows",
        arguments: [
            (0, 0, 100), (0, 5, 0), (199, 200, 99), (200, 200, 100), (300, 200, 100), (-1, 200, 0), (.max, .max, 100),
            (.max / 2, .max, 50),
        ] as [(Int64, Int64, Int64)])
    func percents(_ part: Int64, _ whole: Int64, _ expected: Int64) {
        #expect(percent(of: part, in: whole) == expected)
    }

    @Test(
        "a bar has its width, and is full only at the end",
        arguments: [
            (0, 100, 12, "[          ]"), (10, 100, 12, "[>         ]"), (55, 100, 12, "[====>     ]"),
            (99, 100, 12, "[========> ]"), (100, 100, 12, "[==========]"), (7, nil, 12, "[          ]"),
            (50, 100, 2, "[]"), (50, 100, 0, "[]"),
        ] as [(Int64, Int64?, Int, String)])
    func bar(_ done: Int64, _ whole: Int64?, _ width: Int, _ shown: String) {
        #expect(ProgressBar.text(done: done, of: whole, width: width) == shown)
    }

    @Test("wide characters are not cut in half")
    func clipping() {
        #expect(clipped("会议记录", to: 5) == "会议")
        #expect(clipped("会议", to: 4) == "会议")
        #expect(padded("会议", to: 6) == "会议  ")
        #expect(padded("会议", to: 6, onTheLeft: true) == "  会议")
    }

    @Test("a line that lives is drawn five times a second at most, fits the screen, and is taken away again")
    func liveLine() throws {
        let written = Lock("")
        let terminal = Terminal(
            texts: { key, _ in key }, environment: [:],
            screen: Screen(size: { ScreenSize(columns: 10, rows: 24) }),
            write: { _, text in
                written.withLock { $0 += text }
                return true
            }, readLine: { nil })
        let clock = Lock<Int64>(1)
        let line = try #require(LiveLine(terminal, now: { clock.withLock { $0 } }))
        for (step, text) in ["会议记录与附件", "late", "next"].enumerated() {
            clock.withLock { $0 += [0, 199_999_999, 1][step] }
            try line.draw { _ in text }
        }
        try line.erase()
        try line.erase()
        #expect(written.withLock { $0 } == "\r会议记录\u{1B}[K\rnext\u{1B}[K\r\u{1B}[K")
        let blind = Terminal(texts: { key, _ in key }, environment: [:], write: { _, _ in true }, readLine: { nil })
        #expect(LiveLine(blind) == nil)
    }

    @Test("the bar of an upload tells speed and time left")
    func uploadBar() {
        let clock = ManualClock()
        let bar = UploadBar(start: 1 << 20, size: 11 << 20, clock.clock.now())
        clock.advance(milliseconds: 2_000)
        // Five of ten MiB in two seconds; what was there before the start was not moved now.
        let text = bar.text(taken: 6 << 20, clock.clock.now(), columns: 80)
        #expect(text.hasSuffix("   54%  6 MiB/11 MiB  2.5 MiB/s  2s"))
        #expect(text.hasPrefix("[=============>            ]   54%"))
        let still = bar.text(taken: 6 << 20, clock.clock.now(), columns: 80, waiting: "等待中")
        #expect(still.hasSuffix("   54%  6 MiB/11 MiB  等待中"))
    }
}

@Suite("The picture of transfer watch") struct TransferBoardTests {
    private let texts: TextLookup = {
        let texts = Texts(embedded: .chinese)
        return { texts($0, $1) }
    }()

    private func transfer(
        _ number: Int, _ name: String, _ state: TransferState = .progressing, size: Int64? = 1_000,
        offset: Int64 = 420, owner: String = "小明", direction: TransferDirection = .upload
    ) -> AdminTransfer {
        let random = (0..<26).map { _ in UInt8(truncatingIfNeeded: number) }
        let record = TransferRecord(
            id: TransferID(rawValue: Int64(number)), key: TransferKey(random: random), direction: direction,
            transferClass: .attachment, state: state, owner: UserID(rawValue: 1), ownerName: UserName(owner)!,
            file: FileKey(random: random), fileName: name, mediaType: "", size: size, offset: offset, provider: "",
            error: state == .failed ? "磁盘\u{1B}坏了" : nil, createdAtMilliseconds: 0, updatedAtMilliseconds: 0,
            expiresAtMilliseconds: nil)
        return AdminTransfer(record, isLive: true, bytesPerSecond: 1_572_864, remainingSeconds: 65)
    }

    @Test("every line fits, at any width", arguments: [0, 1, 7, 20, 33, 40, 57, 80, 81, 120, 200])
    func fits(_ columns: Int) {
        var board = TransferBoard(self.texts)
        board.update([
            self.transfer(1, "关于今年第二季度茶叶采购计划的会议记录与附件.pdf"), self.transfer(2, "a"),
            self.transfer(3, "b\u{1B}[2Jc", .suspended, size: nil, offset: 1 << 40),
            self.transfer(4, "👩‍👩‍👧‍👦.png", .waiting, owner: "一个名字特别特别长的人"),
        ])
        let picture = board.picture(ScreenSize(columns: columns, rows: 24))
        // Below thirty cells a line is cut by the screen; nothing else may be longer.
        for line in picture where columns >= 33 { #expect(displayWidth(of: line) <= columns, "\(line)") }
        #expect(picture.allSatisfy { line in !line.unicodeScalars.contains { $0.value < 0x20 } })
    }

    @Test("columns stand under each other behind Chinese names")
    func columns() {
        var board = TransferBoard(self.texts)
        board.update([self.transfer(1, "会议记录.pdf"), self.transfer(2, "notes.txt", offset: 1_000, direction: .download)])
        let picture = board.picture(ScreenSize(columns: 120, rows: 24))
        #expect(
            picture == [
                "2 个传输进行中，3 MiB/s；按 q 结束", "",
                "> 小明          会议记录.pdf  [========>             ]   42%    1.5 MiB/s      1:05  进行中",
                "< 小明          notes.txt     [======================]  100%    1.5 MiB/s      1:05  进行中",
            ])
    }

    @Test("those that move come first, then those that wait, then those that ended, the last first")
    func order() {
        var board = TransferBoard(self.texts)
        board.update([
            self.transfer(1, "one", .succeeded), self.transfer(2, "two", .suspended), self.transfer(3, "three"),
            self.transfer(4, "four", .failed),
        ])
        let names = board.picture(ScreenSize(columns: 80, rows: 24)).dropFirst(2).map { line in
            ["one", "two", "three", "four"].first { line.contains($0) }
        }
        #expect(names == ["three", "two", "four", "one"])
    }

    @Test("what does not fit the screen is counted, and a transfer that is news again moves no line")
    func rows() {
        var board = TransferBoard(self.texts)
        for number in 0..<20 { board.update([self.transfer(number, "f\(number)")]) }
        board.update([self.transfer(0, "f0", offset: 999)])
        let picture = board.picture(ScreenSize(columns: 80, rows: 10))
        #expect(picture.count == 10)
        #expect(picture[2].contains("f0") && picture[2].contains("99%"))
        #expect(picture[9] == "还有 13 个")
    }

    @Test("so many that ended are remembered, and no more")
    func bounded() {
        var board = TransferBoard(self.texts)
        for number in 0..<1_000 {
            // Two letters of the key tell a thousand apart.
            var random = [UInt8](repeating: 0, count: 26)
            random[0] = UInt8(number % 32)
            random[1] = UInt8(number / 32)
            var transfer = self.transfer(0, "f\(number)", .succeeded)
            transfer.key = TransferKey(random: random)
            board.update([transfer])
        }
        let picture = board.picture(ScreenSize(columns: 80, rows: 2_000))
        #expect(picture.count == 2 + TransferBoard.maximumOver)
        #expect(picture[2].contains("f999"))
    }

    @Test("plain lines come for each twentieth and for each state, with what a terminal would obey visible")
    func plainLines() {
        var board = TransferBoard(self.texts)
        let moving = board.plainLine(for: self.transfer(1, "a\u{1B}b", offset: 0))
        #expect(moving?.hasSuffix("上传  小明  a\\u001bb  0%  进行中  1.5 MiB/s  1:05\n") == true)
        let near = board.plainLine(for: self.transfer(1, "a", offset: 49))
        #expect(near == nil)
        let further = board.plainLine(for: self.transfer(1, "a", offset: 50))
        #expect(further != nil)
        let held = board.plainLine(for: self.transfer(1, "a", .suspended, offset: 50))
        #expect(held?.contains("已暂停") == true)
        let failed = board.plainLine(for: self.transfer(1, "a", .failed, offset: 50))
        #expect(failed?.hasSuffix("失败  1:05  磁盘\\u001b坏了\n") == true)
        let unknown = [1, 1 << 25, 1 << 26].map { board.plainLine(for: self.transfer(2, "a", size: nil, offset: $0)) }
        #expect(unknown[0] != nil && unknown[1] == nil && unknown[2] != nil)
        #expect(unknown[2]?.contains("64 MiB") == true)
    }

    @Test("a screen of one row has the heading")
    func tiny() {
        var board = TransferBoard(self.texts)
        for number in 0..<5 { board.update([self.transfer(number, "f\(number)")]) }
        let picture = board.picture(ScreenSize(columns: 40, rows: 1))
        #expect(picture[0].hasPrefix("5 个传输"))
    }
}
