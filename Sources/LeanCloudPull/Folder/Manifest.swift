import ByteCodec

/// Manifest of the folder, with hashes: `manifest.json` for programs, `SHA256SUMS` for `sha256sum -c`. It has no time
/// of its own, so that two pulls of the same source have the same manifest.
package struct Manifest {
    /// Form of the folder.
    package static let format: Int64 = 1

    /// Lines, bytes and hash of a file.
    package struct Metrics: Hashable, Sendable {
        /// Path below the folder.
        package var path: String
        /// Lines of the file.
        package var rows: Int64 = 0
        package var bytes: Int64 = 0
        /// Hash in hexadecimal.
        package var sha256 = ""
    }

    let source: String
    let app: String
    /// Tables, sorted by their paths.
    package var tables: [Metrics] = []
    /// Messages of all tables.
    package var messages: Int64 = 0
    /// Kind of server that the folder comes from.
    let kind: String
    var contents: Int64 = 0
    var contentBytes: Int64 = 0

    /// - Parameter kind: one that `PulledFolder` knows.
    package init(source: String, app: String, kind: String = PulledFolder.leanCloud) {
        self.kind = kind
        self.source = source
        self.app = app
    }

    /// Counts and hashes a file; `nil` when there is none.
    package static func metrics(of path: String, below folder: String) throws(PullError) -> Metrics? {
        guard let file = try InputFile(folder + "/" + path) else { return nil }
        var metrics = Metrics(path: path)
        let digest = Digest(.sha256)
        while true {
            let piece = try file.read()
            if piece.isEmpty { break }
            digest.update(piece)
            metrics.bytes += Int64(piece.count)
            for byte in piece where byte == UInt8(ascii: "\n") { metrics.rows += 1 }
        }
        metrics.sha256 = digest.finish()
        return metrics
    }

    /// Text of `manifest.json`.
    package var json: [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.key("format")
        json.integer(Self.format)
        json.key("kind")
        json.string(self.kind)
        json.key("source")
        json.string(self.source)
        json.key("app")
        json.string(self.app)
        json.key("messages")
        json.integer(self.messages)
        json.key("contents")
        json.integer(self.contents)
        json.key("contentBytes")
        json.integer(self.contentBytes)
        json.key("tables")
        json.beginArray()
        for table in self.tables {
            json.beginObject()
            json.key("path")
            json.string(table.path)
            json.key("rows")
            json.integer(table.rows)
            json.key("bytes")
            json.integer(table.bytes)
            json.key("sha256")
            json.string(table.sha256)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json.bytes + [UInt8(ascii: "\n")]
    }
}

/// The page that explains the folder to whoever opens it.
enum ReadMe {
    /// - Parameter command: that wrote the folder.
    static func text(source: String, app: String, by command: String = "teahouse leancloud pull") -> String {
        """
        This folder holds what an app kept at LeanCloud, or at a server for its apps, saved by "\(command)".
        App: \(app)
        From: \(source)

        It is private: names, phone numbers, messages. Keep it as you keep the app's passwords.

        classes/NAME.jsonl          one row of the class NAME in each line, as the REST API gave it (JSON, UTF-8), by objectId
        classes/NAME.gone.jsonl     rows that an earlier pull saw and that were deleted there since
        users/_User.jsonl           people with password hashes, from the console's export (pull --users FILE)
        messages/YYYY-MM-DD.jsonl   the messages of a day (UTC), oldest first, as the REST API gave them: "timestamp" is in
                                    milliseconds, "bin": true means that "data" is base64
        subscribers.jsonl           who listens to which system conversation
        files.jsonl                 what became of each file: "ok", "differs" (kept, but not as its row says), "gone", ...
        files/XX/OBJECTID-NAME      the contents
        odd/NAME.jsonl              rows that are no proper JSON or have no id or time; "base64" holds their bytes
        manifest.json               tables with rows, bytes and SHA-256
        SHA256SUMS                  check all of it:  sha256sum --quiet -c SHA256SUMS
        report.json                 what was counted here and there, what is missing, and why
        .pull/                      how far the pull is; needed to go on, holds nothing of the app

        本文件夹保存了一个应用在 LeanCloud 上的数据，由 "\(command)" 取回。其中有姓名、电话和聊天内容，请像保管密码一样保管它。

        classes/NAME.jsonl          数据表 NAME，每行一个对象（JSON，UTF-8），与 REST API 返回的一致，按 objectId 排序
        classes/NAME.gone.jsonl     以前取回过、后来在源端被删除的对象
        users/_User.jsonl           控制台导出的用户，带密码散列（pull --users FILE）
        messages/YYYY-MM-DD.jsonl   某一天（UTC）的消息，按时间排序；timestamp 为毫秒，"bin": true 表示 data 是 base64
        subscribers.jsonl           系统对话的订阅者
        files.jsonl                 每个文件的结果：ok 已保存，differs 已保存但与记录不符，gone 源端已不存在
        files/XX/OBJECTID-NAME      文件内容
        odd/NAME.jsonl              不是合法 JSON、或缺少 id 或时间的记录，原始字节在 base64 中
        manifest.json, SHA256SUMS   清单与校验值：sha256sum --quiet -c SHA256SUMS
        report.json                 本地与源端的计数、缺少的内容及原因
        .pull/                      取回的进度，续传时需要

        """
    }
}
