extension RegexParser {
    /// Meaning of one escape, wherever it is written.
    private enum Escape {
        case scalar(UInt32)
        case set(ScalarSet)
    }

    /// Reads what follows a backslash outside of a class.
    mutating func escape() throws(PatternError) -> RegexNode {
        guard let letter = self.next else { throw Self.fault("it ends with a backslash") }
        if 0x31...0x39 ~= letter { throw Self.unsupported("a backreference") }
        switch Unicode.Scalar(letter) {
        case "b": return self.assertion(.wordBoundary)
        case "B": return self.assertion(.noWordBoundary)
        case "A": return self.assertion(.textStart)
        case "z": return self.assertion(.textEnd)
        case "Z": return self.assertion(.lastLineEnd)
        case "g", "k": throw Self.unsupported("a backreference")
        default: break
        }
        switch try self.commonEscape() {
        case .scalar(let value): return self.literal(value)
        case .set(var set):
            set.seal(isNegated: false, ignoresCase: self.flags.ignoresCase)
            return .set(set)
        }
    }

    private mutating func assertion(_ assertion: RegexAssertion) -> RegexNode {
        self.position += 1
        return .assertion(assertion)
    }

    /// Reads what follows `[`.
    mutating func characterClass() throws(PatternError) -> RegexNode {
        var set = ScalarSet()
        let isNegated = self.takeText("^")
        var isFirst = true
        var isQuoting = false
        /// The scalar before, where a range may start.
        var start: UInt32?
        while true {
            if self.takeText("\\E") {
                isQuoting = false
                continue
            }
            if !isQuoting, self.takeText("\\Q") {
                isQuoting = true
                continue
            }
            guard let next = self.next else { throw Self.fault("a class is not closed") }
            if !isQuoting, next == 0x5D, !isFirst { break }
            if !isQuoting, self.isNext("[:") || self.isNext("[.") || self.isNext("[=") {
                guard !self.isPOSIXName else { throw Self.unsupported("a POSIX class") }
            }
            isFirst = false
            if !isQuoting, next == 0x2D, let low = start, let high = try self.rangeEnd() {
                guard low <= high else { throw Self.fault("a range of a class ends below its start") }
                set.insert(low...high)
                start = nil
                continue
            }
            switch isQuoting ? self.plainScalar() : try self.classMember() {
            case .scalar(let value):
                set.insert(value...value)
                start = value
            case .set(let other):
                set.insert(other)
                start = nil
            }
        }
        self.position += 1
        set.seal(isNegated: isNegated, ignoresCase: self.flags.ignoresCase)
        return .set(set)
    }

    /// True when `[:name:]` follows, rather than a bracket and a colon.
    private var isPOSIXName: Bool {
        let mark = self.scalars[self.position + 1]
        let rest = self.scalars[(self.position + 2)...]
        guard let end = rest.firstIndex(where: { !(0x61...0x7A ~= $0 || $0 == 0x5E) }), end > rest.startIndex else {
            return false
        }
        return self.scalars[end] == mark && end + 1 < self.scalars.count && self.scalars[end + 1] == 0x5D
    }

    /// The end of the range whose hyphen is next; `nil` when that hyphen stands for itself.
    private mutating func rangeEnd() throws(PatternError) -> UInt32? {
        let hyphen = self.position
        self.position += 1
        guard let next = self.next, next != 0x5D, !self.isNext("\\E"), !self.isNext("\\Q") else {
            self.position = hyphen
            return nil
        }
        if case .scalar(let value) = try self.classMember() { return value }
        self.position = hyphen
        return nil
    }

    private mutating func plainScalar() -> Escape {
        self.position += 1
        return .scalar(self.scalars[self.position - 1])
    }

    private mutating func classMember() throws(PatternError) -> Escape {
        guard self.takeText("\\") else { return self.plainScalar() }
        // Inside of a class there are no boundaries, so this is the backspace.
        if self.takeText("b") { return .scalar(0x08) }
        return try self.commonEscape()
    }

    /// Reads what follows a backslash, where it means the same inside of a class and outside.
    private mutating func commonEscape() throws(PatternError) -> Escape {
        guard let letter = self.next else { throw Self.fault("it ends with a backslash") }
        self.position += 1
        switch Unicode.Scalar(letter) {
        case "d": return .set(.digits)
        case "D": return .set(ScalarSet.digits.complement)
        case "w": return .set(.word)
        case "W": return .set(ScalarSet.word.complement)
        case "s": return .set(.space)
        case "S": return .set(ScalarSet.space.complement)
        case "h": return .set(.horizontalSpace)
        case "H": return .set(ScalarSet.horizontalSpace.complement)
        case "v": return .set(.verticalSpace)
        case "V": return .set(ScalarSet.verticalSpace.complement)
        case "p": return .set(try self.property(isNegated: false))
        case "P": return .set(try self.property(isNegated: true))
        case "n": return .scalar(0x0A)
        case "r": return .scalar(0x0D)
        case "t": return .scalar(0x09)
        case "f": return .scalar(0x0C)
        case "a": return .scalar(0x07)
        case "e": return .scalar(0x1B)
        case "0": return .scalar(self.octal())
        case "c": return .scalar(try self.control())
        case "x": return .scalar(try self.hexadecimal(digits: 2))
        case "u": return .scalar(try self.codeUnits())
        default:
            guard !(0x30...0x39 ~= letter), !(0x41...0x5A ~= letter), !(0x61...0x7A ~= letter) else {
                throw Self.fault("the escape \"\\\(Self.shown(letter))\" is unknown")
            }
            return .scalar(letter)
        }
    }

    /// Up to two more octal digits behind `\0`.
    private mutating func octal() -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<2 {
            guard let digit = self.next, 0x30...0x37 ~= digit else { break }
            value = value * 8 + digit - 0x30
            self.position += 1
        }
        return value
    }

    private mutating func control() throws(PatternError) -> UInt32 {
        guard let letter = self.next, 0x40...0x5F ~= letter || 0x61...0x7A ~= letter else {
            throw Self.fault("\"\\c\" stands without a letter")
        }
        self.position += 1
        return letter & 0x1F
    }

    /// `{...}`, or so many digits.
    private mutating func hexadecimal(digits: Int) throws(PatternError) -> UInt32 {
        let isBraced = self.takeText("{")
        var value: UInt32 = 0
        var count = 0
        while count < (isBraced ? 6 : digits), let digit = self.next.flatMap(Self.hexDigit) {
            value = value * 16 + digit
            count += 1
            self.position += 1
        }
        guard isBraced ? count > 0 && self.takeText("}") : count == digits, value <= 0x10FFFF else {
            throw Self.fault("an escape has too few hexadecimal digits, or too many")
        }
        return value
    }

    /// `\u{...}`, `\uXXXX`, or two of these that are one scalar.
    private mutating func codeUnits() throws(PatternError) -> UInt32 {
        let first = try self.hexadecimal(digits: 4)
        if 0xD800...0xDBFF ~= first, self.takeText("\\u") {
            let second = try self.hexadecimal(digits: 4)
            if 0xDC00...0xDFFF ~= second { return 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00) }
        }
        guard Unicode.Scalar(first) != nil else { throw Self.fault("an escape stands for no character") }
        return first
    }

    private static func hexDigit(_ scalar: UInt32) -> UInt32? {
        switch scalar {
        case 0x30...0x39: scalar - 0x30
        case 0x41...0x46: scalar - 0x41 + 10
        case 0x61...0x66: scalar - 0x61 + 10
        default: nil
        }
    }

    /// The name behind `\p`: `{L}`, `L`, `{^L}`, `{Han}`, `{Script=Han}`.
    private mutating func property(isNegated: Bool) throws(PatternError) -> ScalarSet {
        var name = ""
        if self.takeText("{") {
            guard let end = self.scalars[self.position...].firstIndex(of: 0x7D) else {
                throw Self.fault("the name of a property is not closed")
            }
            for scalar in self.scalars[self.position..<end] { name.unicodeScalars.append(Self.ascii(scalar)) }
            self.position = end + 1
        } else if let letter = self.next {
            name.unicodeScalars.append(Self.ascii(letter))
            self.position += 1
        }
        var isNegated = isNegated
        if name.hasPrefix("^") {
            name.removeFirst()
            isNegated.toggle()
        }
        for prefix in ["Script=", "script=", "sc=", "Is"] where name.hasPrefix(prefix) {
            name.removeFirst(prefix.count)
        }
        if name == "Han" { return isNegated ? ScalarSet.han.complement : .han }
        guard Self.categories.contains(name) else {
            throw Self.unsupported("the property \(PatternError.quoted(name))")
        }
        var set = ScalarSet()
        set.insert(ScalarSet.Property(category: name, isNegated: isNegated))
        return set
    }

    private static func ascii(_ scalar: UInt32) -> Unicode.Scalar { Unicode.Scalar(UInt8(clamping: scalar)) }

    /// General categories. Source: Unicode Standard Annex 44, table 12.
    private static let categories: Set<String> = [
        "L", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "Mn", "Mc", "Me", "N", "Nd", "Nl", "No", "P", "Pc", "Pd", "Ps", "Pe",
        "Pi", "Pf", "Po", "S", "Sm", "Sc", "Sk", "So", "Z", "Zs", "Zl", "Zp", "C", "Cc", "Cf", "Co", "Cn",
    ]
}
