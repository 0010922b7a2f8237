// What the folder holds, counted and hashed.
extension PullFolder {
    /// Counts and hashes every table and names every content: writes `manifest.json` and `SHA256SUMS`.
    func writeManifest(source: String, app: String) throws(PullError) -> Manifest {
        var manifest = Manifest(source: source, app: app)
        var paths = ["files.jsonl", "subscribers.jsonl"]
        for place in ["classes", "messages", "odd", "users"] {
            paths += Disk.names(in: "\(self.path)/\(place)").filter { $0.hasSuffix(".jsonl") }.map { "\(place)/\($0)" }
        }
        for path in paths.sorted() {
            guard let metrics = try Manifest.metrics(of: path, below: self.path) else { continue }
            manifest.tables.append(metrics)
            if path.hasPrefix("messages/") { manifest.messages += metrics.rows }
        }
        try self.writeSums(&manifest)
        return manifest
    }

    private func writeSums(_ manifest: inout Manifest) throws(PullError) {
        let path = self.path + "/SHA256SUMS"
        let sums = try OutputFile(path + ".new")
        func add(_ hash: String, _ path: String) throws(PullError) { try sums.write(Array("\(hash)  \(path)\n".utf8)) }
        for table in manifest.tables { try add(table.sha256, table.path) }
        var (contents, bytes) = (Int64(0), Int64(0))
        try self.files.forEach { line throws(PullError) in
            guard let entry = FileEntry(line: line), entry.isHere else { return }
            contents += 1
            bytes += entry.bytes
            // What a name may hold that ends a line was replaced when it was made.
            try add(entry.sha256, entry.path)
        }
        manifest.contents = contents
        manifest.contentBytes = bytes
        try Disk.write(manifest.json, to: self.path + "/manifest.json")
        for name in ["README.txt", "manifest.json"] {
            if let metrics = try Manifest.metrics(of: name, below: self.path) { try add(metrics.sha256, name) }
        }
        try sums.finish()
        try Disk.rename(path + ".new", to: path)
    }
}

extension PullReport {
    /// Fills the report with what the tables hold.
    mutating func count(_ manifest: Manifest) {
        let rows = Dictionary(uniqueKeysWithValues: manifest.tables.map { ($0.path, $0.rows) })
        for index in self.classes.indices {
            let name = self.classes[index].name
            self.classes[index].here = rows["classes/\(name).jsonl"] ?? 0
            self.classes[index].gone = rows["classes/\(name).gone.jsonl"] ?? 0
            self.classes[index].odd = rows["odd/\(name).jsonl"] ?? 0
        }
        self.messages.here = manifest.messages
        self.messages.odd = rows["odd/messages.jsonl"] ?? 0
        self.exported.here = rows["users/_User.jsonl"] ?? 0
        self.exported.odd = rows["odd/users.jsonl"] ?? 0
        self.subscribers.here = rows["subscribers.jsonl"] ?? 0
        self.subscribers.odd = rows["odd/subscribers.jsonl"] ?? 0
        self.files.here = manifest.contents
        self.fileBytes = manifest.contentBytes
    }
}
