/// A set of Unicode scalars: what a class such as `[a-z\d]` in a pattern matches.
struct ScalarSet: Sendable {
    /// Scalars with a property that Unicode gives them, or those without it.
    struct Property: Sendable {
        /// One or two letters of a general category, such as `L` or `Nd`.
        let category: String
        let isNegated: Bool
    }

    /// After `seal`: ascending, and apart from each other.
    private var ranges: [ClosedRange<UInt32>] = []
    private var properties: [Property] = []
    private var isNegated = false
    private var ignoresCase = false
    /// The answers for U+0000 to U+007F, made by `seal`.
    private var ascii: (low: UInt64, high: UInt64) = (0, 0)

    init(_ ranges: [ClosedRange<UInt32>] = []) {
        self.ranges = ranges
    }

    mutating func insert(_ range: ClosedRange<UInt32>) { self.ranges.append(range) }

    mutating func insert(_ property: Property) { self.properties.append(property) }

    mutating func insert(_ other: ScalarSet) {
        self.ranges += other.ranges
        self.properties += other.properties
    }

    /// Ends the building of the set.
    mutating func seal(isNegated: Bool, ignoresCase: Bool) {
        if ignoresCase {
            // A letter such as the long s has an upper case that does not lead back to it. Long ranges have both.
            for range in self.ranges where range.count <= 256 {
                for value in range {
                    let folded = CaseFolding.folded(value)
                    if folded != value { self.ranges.append(folded...folded) }
                }
            }
        }
        self.ranges = Self.merged(self.ranges)
        self.ignoresCase = ignoresCase
        self.isNegated = isNegated
        for value in UInt32(0)..<128 where self.decides(value) {
            if value < 64 { self.ascii.low |= 1 << UInt64(value) } else { self.ascii.high |= 1 << UInt64(value - 64) }
        }
    }

    func contains(_ value: UInt32) -> Bool {
        if value < 64 { return self.ascii.low >> UInt64(value) & 1 == 1 }
        if value < 128 { return self.ascii.high >> UInt64(value - 64) & 1 == 1 }
        return self.decides(value)
    }

    private func decides(_ value: UInt32) -> Bool {
        var isInside = self.lists(value) || self.hasProperty(value)
        if !isInside, self.ignoresCase, let variants = CaseFolding.variants(of: value) {
            isInside = self.lists(variants.lower) || self.lists(variants.upper) || self.lists(variants.folded)
        }
        return isInside != self.isNegated
    }

    private func lists(_ value: UInt32) -> Bool {
        var low = 0
        var high = self.ranges.count
        while low < high {
            let middle = (low + high) / 2
            if self.ranges[middle].upperBound < value { low = middle + 1 } else { high = middle }
        }
        return low < self.ranges.count && self.ranges[low].contains(value)
    }

    /// Properties are those of the scalar itself, also where case is ignored.
    private func hasProperty(_ value: UInt32) -> Bool {
        guard !self.properties.isEmpty, let scalar = Unicode.Scalar(value) else { return false }
        let category = scalar.properties.generalCategory.code
        return self.properties.contains { category.hasPrefix($0.category) != $0.isNegated }
    }

    private static func merged(_ ranges: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] {
        var result: [ClosedRange<UInt32>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = result.last, range.lowerBound <= last.upperBound {
                result[result.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                result.append(range)
            }
        }
        return result
    }

    // MARK: Known sets

    /// Digits, letters and spaces are those of ASCII, as PCRE has them unless told otherwise.
    static let digits = ScalarSet([0x30...0x39])
    static let word = ScalarSet([0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
    static let space = ScalarSet([0x09...0x0D, 0x20...0x20])
    static let horizontalSpace = ScalarSet([
        0x09...0x09, 0x20...0x20, 0xA0...0xA0, 0x1680...0x1680, 0x180E...0x180E, 0x2000...0x200A, 0x202F...0x202F,
        0x205F...0x205F, 0x3000...0x3000,
    ])
    static let verticalSpace = ScalarSet([0x0A...0x0D, 0x85...0x85, 0x2028...0x2029])
    /// Source: Unicode, Scripts.txt, script Han.
    static let han = ScalarSet([
        0x2E80...0x2E99, 0x2E9B...0x2EF3, 0x2F00...0x2FD5, 0x3005...0x3005, 0x3007...0x3007, 0x3021...0x3029,
        0x3038...0x303B, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFA6D, 0xFA70...0xFAD9, 0x16FE2...0x16FE3,
        0x16FF0...0x16FF1, 0x20000...0x2A6DF, 0x2A700...0x2B739, 0x2B740...0x2B81D, 0x2B820...0x2CEA1,
        0x2CEB0...0x2EBE0, 0x2EBF0...0x2EE5D, 0x2F800...0x2FA1D, 0x30000...0x3134A, 0x31350...0x323AF,
    ])

    /// Everything that a set of ranges lacks.
    var complement: ScalarSet {
        var result: [ClosedRange<UInt32>] = []
        var next: UInt32 = 0
        for range in Self.merged(self.ranges) {
            if range.lowerBound > next { result.append(next...range.lowerBound - 1) }
            next = range.upperBound + 1
        }
        if next <= 0x10FFFF { result.append(next...0x10FFFF) }
        return ScalarSet(result)
    }
}

/// Upper and lower case without the cases that change the length of a text.
enum CaseFolding {
    /// Scalar that represents all cases of a letter. Source: Unicode, CaseFolding.txt, common and simple folding.
    static func folded(_ value: UInt32) -> UInt32 {
        if value < 128 { return 0x41...0x5A ~= value ? value + 0x20 : value }
        return self.variants(of: value)?.folded ?? value
    }

    /// The other cases of a letter; `nil` when it has none.
    static func variants(of value: UInt32) -> (lower: UInt32, upper: UInt32, folded: UInt32)? {
        if value < 128 {
            if 0x41...0x5A ~= value { return (value + 0x20, value, value + 0x20) }
            if 0x61...0x7A ~= value { return (value, value - 0x20, value) }
            return nil
        }
        // CJK and Hangul, most of what is not ASCII here, have no case.
        if 0x2E80...0xA63F ~= value || 0xAC00...0xD7FF ~= value { return nil }
        // The dotless i has an upper case that is another letter's.
        guard value != 0x131, let scalar = Unicode.Scalar(value) else { return nil }
        let lower = self.single(scalar.properties.lowercaseMapping, or: value)
        let upper = self.single(scalar.properties.uppercaseMapping, or: value)
        guard let upperScalar = Unicode.Scalar(upper) else { return nil }
        return (lower, upper, self.single(upperScalar.properties.lowercaseMapping, or: lower))
    }

    private static func single(_ mapping: String, or value: UInt32) -> UInt32 {
        let scalars = mapping.unicodeScalars
        guard let first = scalars.first, scalars.count == 1 else { return value }
        return first.value
    }
}

extension Unicode.GeneralCategory {
    /// The two letters of Unicode's tables.
    var code: String {
        switch self {
        case .uppercaseLetter: "Lu"
        case .lowercaseLetter: "Ll"
        case .titlecaseLetter: "Lt"
        case .modifierLetter: "Lm"
        case .otherLetter: "Lo"
        case .nonspacingMark: "Mn"
        case .spacingMark: "Mc"
        case .enclosingMark: "Me"
        case .decimalNumber: "Nd"
        case .letterNumber: "Nl"
        case .otherNumber: "No"
        case .connectorPunctuation: "Pc"
        case .dashPunctuation: "Pd"
        case .openPunctuation: "Ps"
        case .closePunctuation: "Pe"
        case .initialPunctuation: "Pi"
        case .finalPunctuation: "Pf"
        case .otherPunctuation: "Po"
        case .mathSymbol: "Sm"
        case .currencySymbol: "Sc"
        case .modifierSymbol: "Sk"
        case .otherSymbol: "So"
        case .spaceSeparator: "Zs"
        case .lineSeparator: "Zl"
        case .paragraphSeparator: "Zp"
        case .control: "Cc"
        case .format: "Cf"
        case .surrogate: "Cs"
        case .privateUse: "Co"
        case .unassigned: "Cn"
        @unknown default: "Cn"
        }
    }
}
