import SQLite

/// The tables of the index file.
///
/// Documents are numbered in the order in which they came in, which is that of their times: `term` lists the numbers under each
/// entry, so the newest come first without sorting. `document_page` tells of each number whose and where it is, many in a row of
/// the table, so that what a person may not see is passed over without a look-up.
enum IndexSchema {
    /// The version of the tables and of the folding; a file of another version is built anew.
    static let version: Int64 = 1

    /// Tables of a new file.
    ///
    /// - meta: version; epoch: of the database it belongs to; generation: a number that no other building has, which cursors
    ///   carry; next: the number of the next document; change: conversations that changed up to there were looked at;
    ///   newest: UTC milliseconds of the newest message that was indexed.
    /// - progress: of a conversation, the newest message and revision that were noted in `waiting` or indexed.
    /// - waiting: messages to be looked at, by id, so that they are indexed in the order of their times.
    /// - document: text: folded, without which no entry could be taken back.
    /// - document_page: `DocumentEntry`, `DocumentPage.size` a row.
    static let tables = """
        CREATE TABLE meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE progress (
            conversation INTEGER PRIMARY KEY,
            sequence INTEGER NOT NULL,
            revision INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE waiting (
            id INTEGER PRIMARY KEY,
            conversation INTEGER NOT NULL,
            sequence INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE document (
            conversation INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            number INTEGER NOT NULL,
            text BLOB NOT NULL,
            PRIMARY KEY (conversation, sequence)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE document_page (number INTEGER PRIMARY KEY, entries BLOB NOT NULL) STRICT;
        CREATE VIRTUAL TABLE term USING fts5 (
            entries, content = '', detail = none, columnsize = 0, tokenize = 'ascii'
        );
        """
}

/// Facts about a document by which most of them are passed over; 16 bytes in the file, integers with the lowest byte first:
/// conversation, sequence and sender in four each, the hour in three, the kind in one. Conversation 0 is an empty place.
struct DocumentEntry: Hashable {
    static let bytes = 16

    var conversation: UInt32
    var sequence: UInt32
    var sender: UInt32
    /// Hours since 1970, at most 2^24 - 1.
    var hour: UInt32
    /// `SearchKind`.
    var kind: UInt8

    static let empty = DocumentEntry(conversation: 0, sequence: 0, sender: 0, hour: 0, kind: 0)

    /// The hour of a time in UTC milliseconds.
    static func hour(of milliseconds: Int64) -> UInt32 {
        UInt32(clamping: min(max(0, milliseconds / 3_600_000), 0xFF_FFFF))
    }
}

/// The entries of neighbouring documents.
struct DocumentPage {
    /// Documents of one page.
    static let size: Int64 = 1_024

    private(set) var bytes: [UInt8]

    init(bytes: [UInt8] = []) { self.bytes = bytes }

    static func number(of document: Int64) -> Int64 { document / self.size }

    /// The entry of a document; `nil` when its place is empty.
    @inline(__always)
    func entry(of document: Int64) -> DocumentEntry? {
        let start = Int(document % Self.size) * DocumentEntry.bytes
        guard start + DocumentEntry.bytes <= self.bytes.count else { return nil }
        return self.bytes.withUnsafeBytes { bytes in
            let word = { (offset: Int) in
                UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: start + offset, as: UInt32.self))
            }
            let conversation = word(0)
            guard conversation != 0 else { return nil }
            let last = word(12)
            return DocumentEntry(
                conversation: conversation, sequence: word(4), sender: word(8), hour: last & 0xFF_FFFF,
                kind: UInt8(last >> 24))
        }
    }

    /// Writes the entry of a document; the page grows to it.
    mutating func set(_ entry: DocumentEntry, of document: Int64) {
        let start = Int(document % Self.size) * DocumentEntry.bytes
        let missing = start + DocumentEntry.bytes - self.bytes.count
        if missing > 0 { self.bytes.append(contentsOf: repeatElement(0, count: missing)) }
        self.bytes.withUnsafeMutableBytes { bytes in
            let words = [entry.conversation, entry.sequence, entry.sender, entry.hour | UInt32(entry.kind) << 24]
            for (index, word) in words.enumerated() {
                bytes.storeBytes(of: word.littleEndian, toByteOffset: start + 4 * index, as: UInt32.self)
            }
        }
    }
}
