import CBench
import Glibc

/// The reference servers, which run in a process of their own.
package enum ReferenceServer {
    /// The word on the command line that makes this program one: `teahouse-bench serve-reference bare|log FOLDER`.
    package static let command = "serve-reference"
    static let readyPrefix = "reference ready on "

    /// Serves until the process is stopped. `folder` gets the log.
    package static func serve(kind: String, folder: String) throws(BenchError) {
        guard kind == "bare" || kind == "log" else { throw .usage("no reference server is called \(kind)") }
        cbench_raise_file_limit()
        var port: UInt16 = 0
        let listener = cbench_listen(&port)
        guard listener >= 0 else { throw .failed("listen on 127.0.0.1") }
        var log: Int32 = -1
        if kind == "log" {
            log = try self.openLog("\(folder)/reference.log")
        }
        emit("\(self.readyPrefix)\(Endpoint(port: port))\n")
        var server = cbench_server()
        server.listener = listener
        server.stop = -1
        server.log = log
        let failure = cbench_serve(&server)
        throw .system("the reference server stopped", failure)
    }

    private static func openLog(_ path: String) throws(BenchError) -> Int32 {
        try writeFile(path, "")
        let descriptor = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
        guard descriptor >= 0 else { throw .failed("open \(path)") }
        return descriptor
    }
}

/// Writes to standard output at once.
func emit(_ text: String) { write(STDOUT_FILENO, to: text) }

/// Writes to standard error: progress and complaints, which are no part of the result.
func complain(_ text: String) { write(STDERR_FILENO, to: text) }

private func write(_ descriptor: Int32, to text: String) {
    let bytes = Array(text.utf8)
    var written = 0
    while written < bytes.count {
        let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress! + written, $0.count - written) }
        guard count > 0 else { return }
        written += count
    }
}
