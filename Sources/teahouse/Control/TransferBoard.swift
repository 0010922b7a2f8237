import AdminAPI
import ChatModel
import CommandLineKit

/// State and lines of `transfer watch`. Pure: takes news, gives lines.
struct TransferBoard {
    /// Transfers that are over stay to be seen, so many of them.
    static let maximumOver = 200

    private let texts: TextLookup
    /// In the order in which they were first heard of.
    private var order: [TransferKey] = []
    private var transfers: [TransferKey: AdminTransfer] = [:]
    /// State of each transfer as last written in plain lines.
    private var written: [TransferKey: (state: TransferState, step: Int64)] = [:]

    init(_ texts: @escaping TextLookup) { self.texts = texts }

    /// Takes news. Transfers that were over before the watch began are no news.
    mutating func update(_ news: [AdminTransfer]) {
        for transfer in news {
            if self.transfers[transfer.key] == nil { self.order.append(transfer.key) }
            self.transfers[transfer.key] = transfer
        }
        let over = self.order.filter { self.transfers[$0]?.state.isOver == true }
        let forgotten = Set(over.dropLast(Self.maximumOver))
        guard !forgotten.isEmpty else { return }
        self.order.removeAll { forgotten.contains($0) }
        for key in forgotten {
            self.transfers[key] = nil
            self.written[key] = nil
        }
    }

    /// Transfers shown: moving ones first, then held and waiting ones, then finished ones, the last one first.
    private var shown: [AdminTransfer] {
        let all = self.order.compactMap { self.transfers[$0] }
        let live = all.filter { $0.state == .progressing }
        let still = all.filter { $0.state == .suspended || $0.state == .waiting }
        return live + still + all.filter { $0.state.isOver }.reversed()
    }

    // MARK: The picture

    /// The lines of a screen: a heading, the transfers that fit, and how many do not.
    func picture(_ size: ScreenSize) -> [String] {
        let shown = self.shown
        let live = shown.filter { $0.state == .progressing }
        let speed = live.reduce(0) { $0 + $1.bytesPerSecond }
        let values = ["count": String(live.count), "speed": Self.speed(speed)]
        var lines = [clipped(self.texts("ctl.transfer.heading", values), to: size.columns), ""]
        let room = max(1, size.rows - lines.count)
        let fits = shown.count <= room ? shown.count : room - 1
        let layout = Layout.fitting(size.columns, shown, self.texts)
        lines += shown.prefix(fits).map { layout.line(for: $0, self.texts) }
        if shown.isEmpty { lines.append(clipped(self.texts("ctl.nothing", [:]), to: size.columns)) }
        if fits < shown.count {
            let more = self.texts("ctl.transfer.more", ["count": String(shown.count - fits)])
            lines.append(clipped(more, to: size.columns))
        }
        return lines
    }

    /// Bytes in a second, for people.
    static func speed(_ bytesPerSecond: Int64) -> String { "\(shownBytes(bytesPerSecond))/s" }

    // MARK: Plain lines

    /// A line for a file or a program; `nil` while a transfer has not come far since its last one: a twentieth of its
    /// size, or 64 MiB when that is not known.
    mutating func plainLine(for transfer: AdminTransfer) -> String? {
        let step = transfer.size.map { percent(of: transfer.offset, in: $0) / 5 } ?? transfer.offset >> 26
        if let last = self.written[transfer.key], last.state == transfer.state, last.step >= step { return nil }
        self.written[transfer.key] = (transfer.state, step)
        var words = [
            transfer.key.text, self.texts(transfer.direction.textKey, [:]), DisplayText.escaped(transfer.owner.text),
            DisplayText.escaped(transfer.fileName), Self.share(transfer), self.texts(transfer.state.textKey, [:]),
        ]
        if transfer.state == .progressing { words.append(Self.speed(transfer.bytesPerSecond)) }
        if let seconds = transfer.remainingSeconds { words.append(shownDuration(seconds: seconds)) }
        if let error = transfer.error { words.append(DisplayText.escaped(error)) }
        return words.joined(separator: "  ") + "\n"
    }

    /// How much is done: `42%`, or bytes when nobody knows of how much.
    static func share(_ transfer: AdminTransfer) -> String {
        guard let size = transfer.size else { return shownBytes(transfer.offset) }
        return "\(percent(of: transfer.offset, in: size))%"
    }
}

/// Columns that a screen of some width has room for.
private struct Layout {
    /// `100%`; bytes where nobody knows of how much.
    private static let narrowestShare = 4
    private static let speedWidth = 11
    private static let remainingWidth = 8
    private static let ownerWidth = 12
    private static let narrowestName = 12
    private static let gap = 2

    private var barWidth: Int
    private var hasOwner: Bool
    private var hasSpeed: Bool
    private var hasRemaining: Bool
    private var shareWidth: Int
    private var stateWidth: Int
    private var nameWidth: Int

    /// From rich to poor; the name gets what is left.
    private static let choices: [(bar: Int, owner: Bool, speed: Bool, remaining: Bool)] = [
        (24, true, true, true), (16, true, true, true), (12, false, true, true), (10, false, false, true),
        (0, false, false, true), (0, false, false, false),
    ]

    static func fitting(_ columns: Int, _ transfers: [AdminTransfer], _ texts: TextLookup) -> Layout {
        let states = transfers.map { displayWidth(of: texts($0.state.textKey, [:])) }
        let shares = transfers.map { displayWidth(of: TransferBoard.share($0)) }
        var layout = Layout(
            barWidth: 0, hasOwner: false, hasSpeed: false, hasRemaining: false,
            shareWidth: max(Self.narrowestShare, shares.max() ?? 0), stateWidth: states.max() ?? 0, nameWidth: 0)
        for choice in Self.choices {
            layout.barWidth = choice.bar
            layout.hasOwner = choice.owner
            layout.hasSpeed = choice.speed
            layout.hasRemaining = choice.remaining
            layout.nameWidth = columns - layout.fixedWidth
            // Wide enough for what there is to show is better than a bar at any price.
            if layout.nameWidth >= Self.narrowestName { break }
        }
        let longest = transfers.map { displayWidth(of: DisplayText.escaped($0.fileName)) }.max() ?? 0
        layout.nameWidth = max(1, min(layout.nameWidth, max(longest, Self.narrowestName)))
        return layout
    }

    /// Everything but the name, with the gaps; two cells in front show the direction.
    private var fixedWidth: Int {
        var width = 2 + Self.gap + self.shareWidth + Self.gap + self.stateWidth
        if self.hasOwner { width += Self.ownerWidth + Self.gap }
        if self.barWidth > 0 { width += self.barWidth + Self.gap }
        if self.hasSpeed { width += Self.speedWidth + Self.gap }
        if self.hasRemaining { width += Self.remainingWidth + Self.gap }
        return width
    }

    func line(for transfer: AdminTransfer, _ texts: TextLookup) -> String {
        let isMoving = transfer.state == .progressing
        var cells: [String] = []
        if self.hasOwner {
            cells.append(padded(DisplayText.cell(transfer.owner.text, width: Self.ownerWidth), to: Self.ownerWidth))
        }
        cells.append(padded(DisplayText.cell(transfer.fileName, width: self.nameWidth), to: self.nameWidth))
        if self.barWidth > 0 {
            cells.append(ProgressBar.text(done: transfer.offset, of: transfer.size, width: self.barWidth))
        }
        cells.append(padded(TransferBoard.share(transfer), to: self.shareWidth, onTheLeft: true))
        if self.hasSpeed {
            let speed = isMoving ? TransferBoard.speed(transfer.bytesPerSecond) : ""
            cells.append(padded(speed, to: Self.speedWidth, onTheLeft: true))
        }
        if self.hasRemaining {
            let seconds = isMoving ? transfer.remainingSeconds : nil
            let remaining = seconds.map { shownDuration(seconds: $0) } ?? ""
            cells.append(padded(remaining, to: Self.remainingWidth, onTheLeft: true))
        }
        cells.append(texts(transfer.state.textKey, [:]))
        let mark = transfer.direction == .upload ? "> " : "< "
        return mark + cells.joined(separator: String(repeating: " ", count: Self.gap))
    }
}

extension TransferState {
    /// The key of its text.
    var textKey: String {
        switch self {
        case .waiting: "word.waiting"
        case .progressing: "word.progressing"
        case .suspended: "word.suspended"
        case .succeeded: "word.succeeded"
        case .failed: "word.failed"
        case .cancelled: "word.cancelled"
        }
    }
}

extension TransferDirection {
    /// The key of its text.
    var textKey: String {
        switch self {
        case .upload: "word.upload"
        case .download: "word.download"
        }
    }
}
