/// Pages of a database file that are free, as SQLite's file format lays them out: the header names the first trunk of a list, and
/// each trunk the next one and its leaves. Source: SQLite's "Database File Format", 1.3 and 1.5.
package struct FreeList: Hashable, Sendable {
    /// Bytes of a page.
    package var pageBytes: Int
    /// Pages that are free, the trunks among them.
    package var count: Int
    /// Numbers of free pages that are no trunks, ascending, from 2 on. What they hold is never read again.
    package var leaves: [UInt32]

    private static let headerBytes = 100
    private static let magic = Array("SQLite format 3\0".utf8)

    /// Reads the list of a file in which everything is that was committed.
    ///
    /// - Parameters:
    ///   - mostLeaves: leaves after which no further trunk is read.
    ///   - read: gives bytes of the file, or `nil` where it has not as many.
    /// - Returns: `nil` for what is no database, and for a list that contradicts itself.
    package init?(mostLeaves: Int, read: (_ offset: Int64, _ count: Int) -> [UInt8]?) {
        guard let header = read(0, Self.headerBytes), header.starts(with: Self.magic) else { return nil }
        let named = Int(header[16]) << 8 | Int(header[17])
        self.pageBytes = named == 1 ? 65_536 : named
        guard self.pageBytes >= 512, self.pageBytes & (self.pageBytes - 1) == 0 else { return nil }
        let pages = Self.number(header, at: 28)
        let mostOfTrunk = UInt32(clamping: (self.pageBytes - Int(header[20])) / 4 - 2)
        self.count = Int(Self.number(header, at: 36))
        self.leaves = []
        var trunk = Self.number(header, at: 32)
        var left = UInt32(clamping: self.count)
        while trunk != 0, self.leaves.count < mostLeaves {
            guard trunk > 1, trunk <= pages, left > 0,
                let page = read(Int64(trunk - 1) * Int64(self.pageBytes), self.pageBytes)
            else { return nil }
            let leafCount = Self.number(page, at: 4)
            guard leafCount <= mostOfTrunk, leafCount < left else { return nil }
            for index in 0..<Int(leafCount) {
                let leaf = Self.number(page, at: 8 + 4 * index)
                guard leaf > 1, leaf <= pages else { return nil }
                self.leaves.append(leaf)
            }
            left -= leafCount + 1
            trunk = Self.number(page, at: 0)
        }
        self.leaves.sort()
    }

    private static func number(_ bytes: [UInt8], at offset: Int) -> UInt32 {
        bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
