@testable import MessageLog

/// A disk in memory that loses, tears and reorders what was not synced, as a power cut does, and fails where it is told to.
final class SimulatedDisk: LogDisk {
    /// Bytes that reach a real disk together or not at all.
    static let sectorBytes = 512

    private final class File {
        var durable: [UInt8] = []
        var current: [UInt8] = []
        /// Writes since the last sync.
        var pending: [(offset: Int, bytes: [UInt8])] = []
    }

    private var byName: [String: File] = [:]
    private var durableNames: [String: File] = [:]
    private var open: [File] = []
    /// Calls that may fail: all but looking and closing.
    private(set) var calls = 0
    /// Number of the call that fails from now on, and how; `nil` for none.
    var failure: (call: Int, error: LogError)?
    /// True for a disk that says at once that it has synced.
    var liesAboutSync = false
    /// Syncs of files.
    private(set) var syncs = 0
    /// Called before each sync of a file.
    var beforeSync: () -> Void = {}

    private func count() throws(LogError) {
        self.calls += 1
        if let failure = self.failure, self.calls >= failure.call { throw failure.error }
    }

    private func file(_ name: String) throws(LogError) -> File {
        guard let file = self.byName[name] else { throw .failed("no \(name)") }
        return file
    }

    private func number(of file: File) -> Int {
        self.open.append(file)
        return self.open.count - 1
    }

    func names() -> [String] { Array(self.byName.keys) }

    func open(_ name: String) throws(LogError) -> Int {
        try self.count()
        return self.number(of: try self.file(name))
    }

    func create(_ name: String) throws(LogError) -> Int {
        try self.count()
        let file = File()
        self.byName[name] = file
        return self.number(of: file)
    }

    func size(_ file: Int) -> Int { self.open[file].current.count }

    func read(_ file: Int) throws(LogError) -> [UInt8] {
        try self.count()
        return self.open[file].current
    }

    func write(_ bytes: UnsafeRawBufferPointer, to file: Int, at offset: Int) throws(LogError) {
        do throws(LogError) {
            try self.count()
        } catch {
            // Half of it, as a disk that fills up takes it.
            self.put([UInt8](bytes[..<(bytes.count / 2)]), in: self.open[file], at: offset)
            throw error
        }
        self.put([UInt8](bytes), in: self.open[file], at: offset)
    }

    private func put(_ bytes: [UInt8], in file: File, at offset: Int) {
        Self.put(bytes, into: &file.current, at: offset)
        file.pending.append((offset, bytes))
    }

    private static func put(_ bytes: [UInt8], into content: inout [UInt8], at offset: Int) {
        let missing = offset + bytes.count - content.count
        if missing > 0 { content.append(contentsOf: repeatElement(0, count: missing)) }
        content.replaceSubrange(offset..<offset + bytes.count, with: bytes)
    }

    func sync(_ file: Int) throws(LogError) {
        self.beforeSync()
        try self.count()
        self.syncs += 1
        guard !self.liesAboutSync else { return }
        self.open[file].durable = self.open[file].current
        self.open[file].pending = []
    }

    func rename(_ name: String, to new: String) throws(LogError) {
        try self.count()
        self.byName[new] = try self.file(name)
        self.byName[name] = nil
    }

    func remove(_ name: String) throws(LogError) {
        try self.count()
        self.byName[name] = nil
    }

    func syncFolder() throws(LogError) {
        try self.count()
        self.durableNames = self.byName
    }

    func close(_ file: Int) {}

    // MARK: What a test does to it

    /// Another disk with what is there now: after a kill of the process alone.
    func copied() -> SimulatedDisk {
        self.image {
            $0.current
        } names: {
            $0.byName
        }
    }

    /// Another disk as a power cut may leave it: all that was synced, and of the rest any sectors, in any order.
    func afterPowerCut(_ random: inout some RandomNumberGenerator) -> SimulatedDisk {
        let takesNames = Bool.random(using: &random)
        var images: [ObjectIdentifier: [UInt8]] = [:]
        let names = takesNames ? self.byName : self.durableNames
        for file in names.values.sorted(by: { $0.pending.count < $1.pending.count }) {
            images[ObjectIdentifier(file)] = Self.torn(file, &random)
        }
        return self.image {
            images[ObjectIdentifier($0)] ?? $0.durable
        } names: { _ in
            names
        }
    }

    private static func torn(_ file: File, _ random: inout some RandomNumberGenerator) -> [UInt8] {
        var content = file.durable
        let shares: [Double] = [0, 0.3, 0.7, 1]
        let share = shares[Int.random(in: 0..<4, using: &random)]
        for write in file.pending.shuffled(using: &random) {
            for start in stride(from: 0, to: write.bytes.count, by: Self.sectorBytes)
            where Double.random(in: 0..<1, using: &random) < share {
                let end = min(start + Self.sectorBytes, write.bytes.count)
                self.put(Array(write.bytes[start..<end]), into: &content, at: write.offset + start)
            }
        }
        return content
    }

    private func image(
        _ content: (File) -> [UInt8], names: (SimulatedDisk) -> [String: File]
    ) -> SimulatedDisk {
        let disk = SimulatedDisk()
        for (name, file) in names(self) {
            let copy = File()
            copy.current = content(file)
            copy.durable = copy.current
            disk.byName[name] = copy
        }
        disk.durableNames = disk.byName
        return disk
    }

    /// Content of a file as it is now.
    subscript(name: String) -> [UInt8] {
        get { self.byName[name]?.current ?? [] }
        set {
            let file = File()
            file.current = newValue
            file.durable = newValue
            self.byName[name] = file
            self.durableNames[name] = file
        }
    }
}

/// Random numbers that are the same each time.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { self.state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

    mutating func next() -> UInt64 {
        self.state ^= self.state << 13
        self.state ^= self.state >> 7
        self.state ^= self.state << 17
        return self.state
    }
}
