@_spi(_Unicode) import Swift

/// A text as it is searched: small letters of the ordinary width without accents, in runs with one space before, between and
/// behind them.
///
/// A run is a word (letters and digits of a script that writes spaces) or a chain of characters that are looked for wherever
/// they stand (Chinese, Japanese, Korean, Thai and their neighbours, emoji). Everything else divides runs. So a word begins
/// with a query word exactly where the text holds a space and the query word, and a chain is in the text where its bytes are.
package struct FoldedText: Hashable, Sendable {
    /// UTF-8, at most `maximumBytes` and one run more; one space when there is nothing to find.
    package let bytes: [UInt8]

    /// Bytes of folded text of one message; what follows is not found.
    package static let maximumBytes = 16_384
    /// Scalars of one run; longer ones are divided.
    static let maximumRunScalars = 1_024

    /// Folds a text.
    package init(_ text: String) {
        var folding = Folding()
        for scalar in text.unicodeScalars {
            folding.takeScalar(scalar)
            if folding.bytes.count >= Self.maximumBytes { break }
        }
        self.bytes = folding.finish()
    }

    /// Takes text that was folded before.
    package init(folded bytes: [UInt8]) { self.bytes = bytes }

    /// True when there is nothing to find.
    package var isEmpty: Bool { self.bytes.count <= 1 }

    /// The runs in their order.
    package var runs: [Run] {
        self.bytes.split(separator: UInt8(ascii: " ")).map { bytes in
            let scalars = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)
            return Run(isChain: scalars.first.map { ScalarClass($0) == .chain } ?? false, scalars: scalars)
        }
    }

    /// Neighbouring characters of one class.
    package struct Run: Hashable, Sendable {
        /// Looked for wherever it stands; else a word.
        package var isChain: Bool
        /// Folded characters, in the order of the text; never empty.
        package var scalars: [Unicode.Scalar]
    }
}

/// The part that a folded scalar plays in a text.
enum ScalarClass {
    case word
    case chain
    case divider

    /// Finds the class of a scalar that was folded.
    init(_ scalar: Unicode.Scalar) {
        switch scalar.value {
        case 0x30...0x39, 0x61...0x7A: self = .word
        case 0..<0xAA: self = .divider
        default: self = Self.beyondASCII(scalar)
        }
    }

    private static func beyondASCII(_ scalar: Unicode.Scalar) -> ScalarClass {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber, .nonspacingMark, .spacingMark, .enclosingMark:
            Self.isUnspaced(scalar.value) ? .chain : .word
        case .otherSymbol: .chain
        default: .divider
        }
    }

    /// True for scripts that are written without spaces, or whose words are found by their parts.
    private static func isUnspaced(_ value: UInt32) -> Bool {
        switch value {
        case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1100...0x11FF, 0x1780...0x17FF, 0x19E0...0x19FF: true
        case 0x2E80...0x31FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA960...0xA97F, 0xAC00...0xD7FF: true
        case 0xF900...0xFAFF, 0x1AFF0...0x1B16F, 0x20000...0x3FFFF: true
        default: false
        }
    }
}

/// The text while it is folded, scalar by scalar.
struct Folding {
    private(set) var bytes: [UInt8] = [UInt8(ascii: " ")]
    /// The class of the run that is open; `divider` for none.
    private var open = ScalarClass.divider
    private var runScalars = 0
    /// The last scalar of the open run, which a sound mark may change, and its bytes.
    private var last: Unicode.Scalar?

    /// Adds a scalar as it was written.
    mutating func takeScalar(_ scalar: Unicode.Scalar) {
        switch scalar.value {
        case 0x61...0x7A, 0x30...0x39: self.add(scalar)
        case 0x41...0x5A: self.add(Unicode.Scalar(UInt8(scalar.value + 0x20)))
        case 0..<0x80: self.divide()
        case 0x4E00...0x9FFF: self.add(scalar)
        default: self.takeOther(scalar)
        }
    }

    private mutating func takeOther(_ scalar: Unicode.Scalar) {
        switch scalar.value {
        case 0xFF01...0xFF5E:
            // Full width.
            self.takeScalar(Unicode.Scalar(UInt8(scalar.value - 0xFEE0)))
        case 0xFF66...0xFF9D: self.add(HalfWidthKana.wide(scalar))
        case 0x3099, 0x309A, 0xFF9E, 0xFF9F: self.voice(isHalf: scalar.value == 0x309A || scalar.value == 0xFF9F)
        case 0x0300...0x036F, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE20...0xFE2F: break
        case 0xAD, 0x200B...0x200F, 0x2060...0x2064, 0xFE00...0xFE0F, 0xFEFF, 0x1F3FB...0x1F3FF, 0xE0100...0xE01EF:
            // Joiners, variation selectors, skin tones: they change how something looks, not what it is.
            break
        case 0xDF, 0x1E9E:
            self.add("s")
            self.add("s")
        case 0x3C2: self.add("σ")
        default: self.addFolded(scalar)
        }
    }

    private mutating func addFolded(_ scalar: Unicode.Scalar) {
        guard scalar.value < 0x2C00 || scalar.value >= 0xA640, scalar.value < 0xAC00 || scalar.value > 0xD7FF else {
            return self.add(scalar)
        }
        for small in scalar.properties.lowercaseMapping.unicodeScalars {
            guard !(0x0300...0x036F).contains(small.value) else { continue }
            self.add(BaseLetters.base(of: small))
        }
    }

    private mutating func add(_ scalar: Unicode.Scalar) {
        let kind = ScalarClass(scalar)
        guard kind != .divider else { return self.divide() }
        if self.open != .divider, self.open != kind || self.runScalars >= FoldedText.maximumRunScalars { self.divide() }
        self.open = kind
        self.runScalars += 1
        self.last = scalar
        self.append(scalar)
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
        if scalar.isASCII {
            self.bytes.append(UInt8(scalar.value))
        } else {
            self.bytes.append(contentsOf: UTF8.encode(scalar)!)
        }
    }

    private mutating func divide() {
        self.last = nil
        guard self.open != .divider else { return }
        self.bytes.append(UInt8(ascii: " "))
        self.open = .divider
        self.runScalars = 0
    }

    /// Gives the kana before it its voiced, or half-voiced, form.
    private mutating func voice(isHalf: Bool) {
        guard let last = self.last, let voiced = HalfWidthKana.voiced(last, isHalf: isHalf) else { return }
        self.bytes.removeLast(UTF8.encode(last)!.count)
        self.append(voiced)
        self.last = voiced
    }

    /// Ends the text.
    mutating func finish() -> [UInt8] {
        self.divide()
        return self.bytes
    }
}

/// Letters without their accents.
private enum BaseLetters {
    /// The letter that is left of one with accents: Latin, Greek and Cyrillic.
    static func base(of scalar: Unicode.Scalar) -> Unicode.Scalar {
        scalar.value < 0xC0 ? scalar : self.bases[scalar.value] ?? scalar
    }

    private static let bases: [UInt32: Unicode.Scalar] = {
        var bases: [UInt32: Unicode.Scalar] = [:]
        for range: ClosedRange<UInt32> in [0xC0...0x24F, 0x370...0x52F, 0x1E00...0x1FFF] {
            for value in range {
                guard let scalar = Unicode.Scalar(value) else { continue }
                var parts = String(scalar)._nfd.makeIterator()
                guard let base = parts.next(), base != scalar else { continue }
                bases[value] = base
            }
        }
        return bases
    }()
}

/// Katakana of half width, and the marks that voice kana.
private enum HalfWidthKana {
    private static let wides = Array(
        """
        ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン
        """.unicodeScalars)

    /// The kana of ordinary width for U+FF66...U+FF9D.
    static func wide(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        let index = Int(scalar.value) - 0xFF66
        return self.wides.indices.contains(index) ? self.wides[index] : scalar
    }

    /// The voiced form of a kana; `nil` when it has none.
    static func voiced(_ scalar: Unicode.Scalar, isHalf: Bool) -> Unicode.Scalar? {
        // Katakana lie 0x60 above hiragana.
        let isKatakana = scalar.value >= 0x30A1
        let base = isKatakana ? scalar.value - 0x60 : scalar.value
        let offset: UInt32
        switch base {
        case 0x3046 where !isHalf: return Unicode.Scalar(isKatakana ? 0x30F4 : 0x3094)
        // The rows of k, s and t; after the small tsu the pairs begin one later.
        case 0x304B...0x3062 where !isHalf && base & 1 == 1: offset = 1
        case 0x3064...0x3069 where !isHalf && base & 1 == 0: offset = 1
        case 0x306F...0x307D where (base - 0x306F) % 3 == 0: offset = isHalf ? 2 : 1
        default: return nil
        }
        return Unicode.Scalar(scalar.value + offset)
    }
}
