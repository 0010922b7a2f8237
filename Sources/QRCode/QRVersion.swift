/// A version of the QR code: its size, and how many codewords it holds, at error correction M.
struct QRVersion: Hashable {
    /// 1...40.
    let number: Int

    init(_ number: Int) {
        precondition((1...40).contains(number))
        self.number = number
    }

    /// Codewords for error correction in one block. Source: table 9, level M.
    private static let correctionCodewords = [
        10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26, 26, 28, 28, 28, 28, 28, 28, 28,
        28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28,
    ]
    /// Blocks. Source: table 9, level M.
    private static let blockCounts = [
        1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16, 17, 17, 18, 20, 21, 23, 25, 26, 28, 29, 31,
        33,
        35, 37, 38, 40, 43, 45, 47, 49,
    ]

    /// Modules of one side.
    var size: Int { self.number * 4 + 17 }

    /// Rows and columns in which centres of alignment patterns stand. Source: annex E.
    var alignmentCentres: [Int] {
        guard self.number > 1 else { return [] }
        let count = self.number / 7 + 2
        // The only version whose distances the formula does not give.
        let step = self.number == 32 ? 26 : (self.number * 4 + count * 2 + 1) / (count * 2 - 2) * 2
        return [6] + (0..<count - 1).map { self.size - 7 - $0 * step }.reversed()
    }

    /// Codewords of all kinds: the modules that no pattern takes, by eights. Source: table 1.
    private var codewordCount: Int {
        var modules = (16 * self.number + 128) * self.number + 64
        if self.number >= 2 {
            let count = self.number / 7 + 2
            modules -= (25 * count - 10) * count - 55
        }
        if self.number >= 7 { modules -= 36 }
        return modules / 8
    }

    private var correction: Int { Self.correctionCodewords[self.number - 1] }
    private var blocks: Int { Self.blockCounts[self.number - 1] }
    private var dataCodewords: Int { self.codewordCount - self.correction * self.blocks }

    /// Bits of the number of bytes, in byte mode. Source: table 3.
    private var countBits: Int { self.number < 10 ? 8 : 16 }

    /// Bytes that the version holds in byte mode.
    var byteCapacity: Int { (self.dataCodewords * 8 - 4 - self.countBits) / 8 }

    // MARK: Codewords

    /// Every codeword in the order in which it is placed: data and error correction, the blocks interleaved.
    ///
    /// Source: sections 7.4 to 7.6.
    func codewords(of bytes: [UInt8]) -> [UInt8] {
        let data = self.data(bytes)
        let generator = ReedSolomon(degree: self.correction)
        let short = self.codewordCount / self.blocks - self.correction
        let shortBlocks = self.blocks - self.codewordCount % self.blocks
        var blocks: [ArraySlice<UInt8>] = []
        var rest = data[...]
        for index in 0..<self.blocks {
            let length = index < shortBlocks ? short : short + 1
            blocks.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        let corrections = blocks.map { generator.remainder(of: $0) }
        var result: [UInt8] = []
        result.reserveCapacity(self.codewordCount)
        for place in 0...short {
            for block in blocks where place < block.count { result.append(block[block.startIndex + place]) }
        }
        for place in 0..<self.correction {
            for correction in corrections { result.append(correction[place]) }
        }
        return result
    }

    /// Mode, count, bytes, terminator and padding. Source: sections 7.4.5 and 7.4.10.
    private func data(_ bytes: [UInt8]) -> [UInt8] {
        var bits = BitWriter()
        bits.append(0b0100, count: 4)
        bits.append(bytes.count, count: self.countBits)
        for byte in bytes { bits.append(Int(byte), count: 8) }
        bits.append(0, count: min(4, self.dataCodewords * 8 - bits.count))
        bits.append(0, count: (8 - bits.count % 8) % 8)
        var isFirst = true
        while bits.bytes.count < self.dataCodewords {
            bits.append(isFirst ? 0xEC : 0x11, count: 8)
            isFirst.toggle()
        }
        return bits.bytes
    }
}

/// Bits one after the other, the highest first.
private struct BitWriter {
    private(set) var bytes: [UInt8] = []
    private(set) var count = 0

    mutating func append(_ value: Int, count: Int) {
        for bit in stride(from: count - 1, through: 0, by: -1) {
            if self.count % 8 == 0 { self.bytes.append(0) }
            if value >> bit & 1 == 1 { self.bytes[self.bytes.count - 1] |= 0x80 >> UInt8(self.count % 8) }
            self.count += 1
        }
    }
}

/// Error correction over GF(2^8) with the polynomial x^8 + x^4 + x^3 + x^2 + 1. Source: section 7.5.2 and annex A.
private struct ReedSolomon {
    /// Coefficients of the generator, the highest first, without the leading one.
    private let generator: [UInt8]

    init(degree: Int) {
        var generator = [UInt8](repeating: 0, count: degree)
        generator[degree - 1] = 1
        var root: UInt8 = 1
        for _ in 0..<degree {
            for place in 0..<degree {
                generator[place] = Self.product(generator[place], root)
                if place + 1 < degree { generator[place] ^= generator[place + 1] }
            }
            root = Self.product(root, 2)
        }
        self.generator = generator
    }

    /// Codewords that stand behind the data of a block.
    func remainder(of data: ArraySlice<UInt8>) -> [UInt8] {
        var remainder = [UInt8](repeating: 0, count: self.generator.count)
        for byte in data {
            let factor = byte ^ remainder.removeFirst()
            remainder.append(0)
            for place in remainder.indices { remainder[place] ^= Self.product(self.generator[place], factor) }
        }
        return remainder
    }

    private static func product(_ one: UInt8, _ other: UInt8) -> UInt8 {
        var product: UInt8 = 0
        for bit in stride(from: 7, through: 0, by: -1) {
            let isHigh = product & 0x80 != 0
            product <<= 1
            if isHigh { product ^= 0x1D }
            if other >> UInt8(bit) & 1 == 1 { product ^= one }
        }
        return product
    }
}
