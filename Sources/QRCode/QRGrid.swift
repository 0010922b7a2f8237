/// Modules of a code while it is drawn.
struct QRGrid {
    private let version: QRVersion
    private let size: Int
    /// Row by row, true for dark.
    private var modules: [Bool]
    /// Modules of patterns, which hold no data and no mask changes.
    private var isPattern: [Bool]

    /// Draws the patterns of a version; the places of the format are kept free.
    init(_ version: QRVersion) {
        self.version = version
        self.size = version.size
        self.modules = Array(repeating: false, count: version.size * version.size)
        self.isPattern = self.modules
        for place in 0..<self.size {
            self.setPattern(place % 2 == 0, row: 6, column: place)
            self.setPattern(place % 2 == 0, row: place, column: 6)
        }
        for (row, column) in [(3, 3), (3, self.size - 4), (self.size - 4, 3)] { self.drawFinder(row, column) }
        let centres = version.alignmentCentres
        for row in centres {
            for column in centres where !self.isFinder(row, column) { self.drawAlignment(row, column) }
        }
        self.drawFormat(mask: 0)
        self.drawVersion()
    }

    private mutating func setPattern(_ isDark: Bool, row: Int, column: Int) {
        self.modules[row * self.size + column] = isDark
        self.isPattern[row * self.size + column] = true
    }

    private func isFinder(_ row: Int, _ column: Int) -> Bool {
        let last = self.size - 7
        return (row == 6 && (column == 6 || column == last)) || (row == last && column == 6)
    }

    /// A finder pattern and the light border beside it. Source: section 6.3.3.
    private mutating func drawFinder(_ row: Int, _ column: Int) {
        for down in -4...4 {
            for across in -4...4 {
                let (row, column) = (row + down, column + across)
                guard (0..<self.size).contains(row), (0..<self.size).contains(column) else { continue }
                let distance = max(abs(down), abs(across))
                self.setPattern(distance != 2 && distance != 4, row: row, column: column)
            }
        }
    }

    private mutating func drawAlignment(_ row: Int, _ column: Int) {
        for down in -2...2 {
            for across in -2...2 {
                self.setPattern(max(abs(down), abs(across)) != 1, row: row + down, column: column + across)
            }
        }
    }

    // MARK: Format and version

    /// Level M and the mask, twice. Source: section 7.9.1 and annex C.
    private mutating func drawFormat(mask: Int) {
        // Level M is 00.
        var remainder = mask
        for _ in 0..<10 { remainder = remainder << 1 ^ (remainder >> 9) * 0x537 }
        let bits = (mask << 10 | remainder) ^ 0x5412
        func isDark(_ bit: Int) -> Bool { bits >> bit & 1 == 1 }
        for bit in 0..<6 { self.setPattern(isDark(bit), row: bit, column: 8) }
        self.setPattern(isDark(6), row: 7, column: 8)
        self.setPattern(isDark(7), row: 8, column: 8)
        self.setPattern(isDark(8), row: 8, column: 7)
        for bit in 9..<15 { self.setPattern(isDark(bit), row: 8, column: 14 - bit) }
        for bit in 0..<8 { self.setPattern(isDark(bit), row: 8, column: self.size - 1 - bit) }
        for bit in 8..<15 { self.setPattern(isDark(bit), row: self.size - 15 + bit, column: 8) }
        self.setPattern(true, row: self.size - 8, column: 8)
    }

    /// Source: section 7.10 and annex D.
    private mutating func drawVersion() {
        guard self.version.number >= 7 else { return }
        var remainder = self.version.number
        for _ in 0..<12 { remainder = remainder << 1 ^ (remainder >> 11) * 0x1F25 }
        let bits = self.version.number << 12 | remainder
        for bit in 0..<18 {
            let isDark = bits >> bit & 1 == 1
            let (far, near) = (self.size - 11 + bit % 3, bit / 3)
            self.setPattern(isDark, row: near, column: far)
            self.setPattern(isDark, row: far, column: near)
        }
    }

    // MARK: Data

    /// Places codewords in pairs of columns, from the lower right, up and down in turns. Source: section 7.7.3.
    mutating func placeCodewords(_ codewords: [UInt8]) {
        var bit = 0
        var right = self.size - 1
        while right >= 1 {
            if right == 6 { right = 5 }
            let isUpward = (right + 1) & 2 == 0
            for step in 0..<self.size {
                let row = isUpward ? self.size - 1 - step : step
                for column in [right, right - 1] where !self.isPattern[row * self.size + column] {
                    guard bit < codewords.count * 8 else { continue }
                    self.modules[row * self.size + column] = codewords[bit / 8] >> UInt8(7 - bit % 8) & 1 == 1
                    bit += 1
                }
            }
            right -= 2
        }
    }

    // MARK: Masks

    /// The modules under a mask.
    ///
    /// - Parameter mask: 0...7; `nil` for the one with the least penalty.
    func masked(by mask: Int?) -> [Bool] {
        if let mask { return self.applying(mask) }
        var best: (penalty: Int, modules: [Bool])?
        for mask in 0..<8 {
            let modules = self.applying(mask)
            let penalty = QRPenalty(modules, size: self.size).total
            if penalty < best?.penalty ?? .max { best = (penalty, modules) }
        }
        return best?.modules ?? []
    }

    private func applying(_ mask: Int) -> [Bool] {
        var grid = self
        for row in 0..<self.size {
            for column in 0..<self.size where !self.isPattern[row * self.size + column] {
                if Self.inverts(mask, row, column) { grid.modules[row * self.size + column].toggle() }
            }
        }
        grid.drawFormat(mask: mask)
        return grid.modules
    }

    /// Source: table 10.
    private static func inverts(_ mask: Int, _ row: Int, _ column: Int) -> Bool {
        switch mask {
        case 0: (row + column) % 2 == 0
        case 1: row % 2 == 0
        case 2: column % 3 == 0
        case 3: (row + column) % 3 == 0
        case 4: (row / 2 + column / 3) % 2 == 0
        case 5: row * column % 2 + row * column % 3 == 0
        case 6: (row * column % 2 + row * column % 3) % 2 == 0
        default: ((row + column) % 2 + row * column % 3) % 2 == 0
        }
    }
}

/// Marks against a mask: the fewer, the easier the code is to read. Source: section 7.8.3.
struct QRPenalty {
    private let modules: [Bool]
    private let size: Int

    init(_ modules: [Bool], size: Int) {
        self.modules = modules
        self.size = size
    }

    /// Sum of the four rules.
    var total: Int {
        var total = self.blocks + self.balance
        for index in 0..<self.size {
            total += Self.line((0..<self.size).map { self.modules[index * self.size + $0] })
            total += Self.line((0..<self.size).map { self.modules[$0 * self.size + index] })
        }
        return total
    }

    private static let finder = [true, false, true, true, true, false, true, false, false, false, false]
    private static let turnedFinder = Array(Self.finder.reversed())

    /// Runs of five and more, and what looks like a finder pattern.
    private static func line(_ line: [Bool]) -> Int {
        var penalty = 0
        var run = 0
        for place in line.indices {
            run = place > 0 && line[place] == line[place - 1] ? run + 1 : 1
            if run == 5 { penalty += 3 }
            if run > 5 { penalty += 1 }
            let part = line[place...].prefix(self.finder.count)
            if part.elementsEqual(self.finder) || part.elementsEqual(self.turnedFinder) { penalty += 40 }
        }
        return penalty
    }

    /// Squares of two by two modules of one colour.
    private var blocks: Int {
        var penalty = 0
        for row in 0..<self.size - 1 {
            for column in 0..<self.size - 1 {
                let place = row * self.size + column
                let isDark = self.modules[place]
                if self.modules[place + 1] == isDark, self.modules[place + self.size] == isDark,
                    self.modules[place + self.size + 1] == isDark
                {
                    penalty += 3
                }
            }
        }
        return penalty
    }

    /// How far the dark modules are from one half, in steps of 5 %.
    private var balance: Int {
        let dark = self.modules.count { $0 }
        return abs(dark * 20 - self.modules.count * 10) / self.modules.count * 10
    }
}
