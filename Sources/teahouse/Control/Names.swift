import AdminAPI
import ChatModel
import CLinux
import CommandLineKit
import Glibc

/// Lists of names, from the command line and from files.
extension Control {
    /// Most bytes of one line of a file.
    private static let maximumLineBytes = 4_096

    /// Names from arguments, each of which may hold several with commas between them.
    func userNames(_ texts: [String]) throws(CommandFailure) -> [UserName] {
        var names: [UserName] = []
        for text in texts {
            for part in text.split(separator: ",") {
                names.append(try self.userName(String(part.drop { $0 == " " })))
            }
        }
        return names
    }

    /// Names from `--members` and `--members-file`.
    func members() throws(CommandFailure) -> [UserName] {
        var names = try self.userNames(self.invocation.values("members") + self.invocation.list("NAMES"))
        if let path = self.invocation.value("members-file") {
            try self.forEachLine(of: path) { line, _ throws(CommandFailure) in
                names.append(try self.userName(line))
            }
        }
        return names
    }

    /// Calls `body` with each line of a text file that is not empty, and its number; `-` is standard input.
    ///
    /// - Throws: exit code 74 when the file cannot be read; what `body` throws.
    func forEachLine(
        of path: String, _ body: (String, Int) throws(CommandFailure) -> Void
    ) throws(CommandFailure) {
        var lines = LineSplitter(maximumBytes: Self.maximumLineBytes)
        var number = 0
        func takePiece(_ piece: ArraySlice<UInt8>) throws(CommandFailure) {
            lines.append(piece)
            while let line = try self.nextLine(&lines, path) {
                number += 1
                let text = line.last == UInt8(ascii: "\r") ? line.dropLast() : line[...]
                if !text.isEmpty { try body(String(decoding: text, as: UTF8.self), number) }
            }
        }
        try self.forEachPiece(of: path, takePiece)
        // The last line may lack its end.
        try takePiece([UInt8(ascii: "\n")])
    }

    /// Calls `body` with the bytes of a file, piece by piece; `-` is standard input.
    ///
    /// - Throws: exit code 74 when the file cannot be read; what `body` throws.
    func forEachPiece(
        of path: String, _ body: (ArraySlice<UInt8>) throws(CommandFailure) -> Void
    ) throws(CommandFailure) {
        let descriptor = path == "-" ? dup(0) : clinux_open(path, O_RDONLY | O_CLOEXEC, 0)
        guard descriptor >= 0 else { throw self.cannotRead(path) }
        defer { close(descriptor) }
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            guard count >= 0 else { throw self.cannotRead(path) }
            if count == 0 { return }
            try body(chunk[..<count])
        }
    }

    private func nextLine(_ lines: inout LineSplitter, _ path: String) throws(CommandFailure) -> [UInt8]? {
        do throws(AdminError) {
            return try lines.next()
        } catch {
            let values = ["path": path, "maximum": String(Self.maximumLineBytes)]
            throw CommandFailure(.refused, self.text("ctl.lineTooLong", values))
        }
    }

    private func cannotRead(_ path: String) -> CommandFailure {
        let reason = String(cString: strerror(clinux_errno()))
        return CommandFailure(.inputOutput, self.text("ctl.cannotRead", ["path": path, "reason": reason]))
    }
}
