import AdminAPI
import ByteCodec
import ChatModel
import CLinux
import CommandLineKit
import Execution
import Glibc
import Imports

/// Sends one file of this machine to the server, piece by piece, and shows how far it is.
final class Uploader {
    /// Pieces that were sent and not yet answered: fewer than the server works on, so that answers keep coming.
    private static let maximumUnderWay = 6
    /// Silence after which the line no longer tells a speed.
    private static let silenceMilliseconds: Int32 = 3_000

    private let control: Control
    private let path: String
    private let descriptor: Int32
    private let size: Int64
    private let source: String
    private let line: LiveLine?

    /// Opens the file.
    ///
    /// - Throws: exit code 74 when it cannot be read, 64 when it is no plain file.
    init(_ control: Control, path: String, showsBar: Bool = true) throws(CommandFailure) {
        let descriptor = clinux_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0)
        guard descriptor >= 0 else { throw Self.cannotRead(control, path) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw CommandFailure(.usage, control.text("ctl.upload.noFile", ["path": path]))
        }
        self.control = control
        self.path = path
        self.descriptor = descriptor
        self.size = Int64(status.st_size)
        let changed = "\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
        let digits = String(
            StableHash.xxh64("\(status.st_dev):\(status.st_ino):\(status.st_size):\(changed)"), radix: 16)
        self.source = String(repeating: "0", count: 16 - digits.count) + digits
        self.line = control.wantsJSON || !showsBar ? nil : LiveLine(control.terminal)
    }

    deinit { close(self.descriptor) }

    private static func cannotRead(_ control: Control, _ path: String) -> CommandFailure {
        let reason = String(cString: strerror(clinux_errno()))
        return CommandFailure(.inputOutput, control.text("ctl.cannotRead", ["path": path, "reason": reason]))
    }

    /// The last part of the path.
    var fileName: String { self.path.split(separator: "/").last.map { String($0) } ?? self.path }

    /// Uploads the file, or the rest of it.
    ///
    /// - Returns: the transfer, which has succeeded.
    /// - Throws: exit code 74 with how to go on when the connection broke.
    func run(
        for owner: UserName, name: String, resuming: TransferKey? = nil, isAvatar: Bool = false
    ) throws(CommandFailure) -> AdminTransfer {
        let upload = AdminUpload(
            owner: owner, name: name, mediaType: MediaType.ofName(self.fileName) ?? MediaType.unknown,
            size: self.size, source: self.source, resumed: resuming, isAvatar: isAvatar)
        return try self.send(upload) { () throws(CommandFailure) in
            try self.control.ask(.transfers(.upload(upload)))
        }
    }

    /// Uploads a content of an import, or the rest of it.
    func run(_ content: ImportContent, of number: Int64) throws(CommandFailure) -> AdminTransfer {
        guard let owner = UserName("import") else { preconditionFailure("import is a name") }
        let upload = AdminUpload(
            owner: owner, name: content.name, mediaType: content.mediaType, size: self.size, source: self.source,
            importing: number)
        return try self.send(upload) { () throws(CommandFailure) in
            try self.control.talk { client throws(AdminError) in try client.ask(.transfers(.upload(upload))) }
        }
    }

    private func send(
        _ upload: AdminUpload, opening: () throws(CommandFailure) -> AdminAnswer
    ) throws(CommandFailure) -> AdminTransfer {
        guard case .transfers(.one(let transfer)) = try opening() else { throw self.control.unexpectedAnswer }
        if transfer.offset > 0 {
            let values = ["key": transfer.key.text, "share": TransferBoard.share(transfer)]
            self.control.terminal.complain(self.control.text("ctl.upload.goesOn", values) + "\n")
        }
        if transfer.state == .suspended {
            self.control.terminal.complain(self.control.text("ctl.upload.held", ["key": transfer.key.text]) + "\n")
        }
        do throws(CommandFailure) {
            let bar = UploadBar(start: transfer.offset, size: self.size, Clock.system.now())
            try self.sendPieces(from: transfer.offset, bar)
            _ = try self.control.talk { client throws(AdminError) in try client.send(.transfers(.finishUpload)) }
            guard case .transfers(.one(let done)) = try self.answer(bar, taken: self.size) else {
                throw self.control.unexpectedAnswer
            }
            try self.line?.erase()
            return done
        } catch {
            try self.line?.erase()
            guard error.code == .inputOutput else { throw error }
            throw CommandFailure(error.code, error.message + " " + self.control.text("ctl.upload.again"))
        }
    }

    private func sendPieces(from start: Int64, _ bar: UploadBar) throws(CommandFailure) {
        var offset = start
        var done = start
        var underWay = 0
        while offset < self.size || underWay > 0 {
            if offset < self.size && underWay < Self.maximumUnderWay {
                let piece = AdminPiece(offset: offset, bytes: try self.read(at: offset))
                _ = try self.control.talk { client throws(AdminError) in
                    try client.send(.transfers(.piece(piece)))
                }
                offset += Int64(piece.bytes.count)
                underWay += 1
                continue
            }
            guard case .transfers(.taken(let taken)) = try self.answer(bar, taken: done) else {
                throw self.control.unexpectedAnswer
            }
            underWay -= 1
            done = taken
            try self.line?.draw { bar.text(taken: taken, Clock.system.now(), columns: $0) }
        }
    }

    /// The server's next answer, however long it takes: an upload that somebody holds back has none until it goes on.
    private func answer(_ bar: UploadBar, taken: Int64) throws(CommandFailure) -> AdminAnswer {
        while true {
            let answer = try self.control.talk { client throws(AdminError) in
                try client.nextAnswer(withinMilliseconds: Self.silenceMilliseconds)?.answer.get()
            }
            if let answer { return answer }
            let word = self.control.text("word.waiting")
            try self.line?.draw { bar.text(taken: taken, Clock.system.now(), columns: $0, waiting: word) }
        }
    }

    private func read(at offset: Int64) throws(CommandFailure) -> [UInt8] {
        let wanted = Int(min(Int64(AdminProtocol.pieceBytes), self.size - offset))
        var failed = false
        let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { room, filled in
            while filled < wanted {
                // SAFETY: `pread` writes at most what is left of the room behind what is filled.
                let count = pread(
                    self.descriptor, room.baseAddress! + filled, wanted - filled, off_t(offset) + off_t(filled))
                if count < 0 && clinux_errno() == EINTR { continue }
                failed = count < 0
                guard count > 0 else { return }
                filled += count
            }
        }
        if failed { throw Self.cannotRead(self.control, self.path) }
        guard bytes.count == wanted else {
            throw CommandFailure(.refused, self.control.text("ctl.upload.shorter", ["path": self.path]))
        }
        return bytes
    }
}

/// The bar of one upload. Pure.
struct UploadBar {
    private let start: Int64
    private let size: Int64
    private let startedAt: Instant

    init(start: Int64, size: Int64, _ now: Instant) {
        self.start = start
        self.size = size
        self.startedAt = now
    }

    /// `[=====>    ]  42%  1.2 MiB/3 MiB  2 MiB/s  0:09`
    ///
    /// - Parameter waiting: stands instead of speed and time while nothing moves.
    func text(taken: Int64, _ now: Instant, columns: Int, waiting: String? = nil) -> String {
        let passed = max(1, now.milliseconds(since: self.startedAt))
        let moved = max(0, taken - self.start)
        let speed = Int64(Double(moved) * 1000 / Double(passed))
        var words = [
            ProgressBar.text(done: taken, of: self.size, width: max(10, min(40, columns - 52))),
            padded("\(percent(of: taken, in: self.size))%", to: 4, onTheLeft: true),
            "\(shownBytes(taken))/\(shownBytes(self.size))", waiting ?? TransferBoard.speed(speed),
        ]
        if speed > 0 && waiting == nil { words.append(shownDuration(seconds: (self.size - taken) / speed)) }
        return words.joined(separator: "  ")
    }
}
