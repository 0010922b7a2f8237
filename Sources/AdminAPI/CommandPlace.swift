import ChatModel

/// Place of a field on the command line of its operation: an argument by its position, or an option by its name.
package struct CommandPlace: Equatable, Sendable {
    /// Form of the place.
    package enum Shape: Equatable, Sendable {
        /// One word by its position.
        case argument
        /// Words by their position, behind all others.
        case words
        /// Names of people by their position, at least one, and those of a file.
        case names
        /// A value behind `--name`; the text is how help shows it: `FILE`.
        case option(String)
        /// Values behind `--name` with commas between them; the option may be given again.
        case list(String)
        /// Names of people behind `--name` with commas between them, and those of a file.
        case people(String)
        /// A time behind `--name`, which `ctl` reads in the operator's time zone; no printed line says one.
        case time
        /// A whole number behind `--name`.
        case number(ClosedRange<Int64>)
        /// `--name` alone, which says this value.
        case flag(Bool)
    }

    /// Name of the option without its dashes, or of the argument as help shows it: `TEAM`.
    package var name: String
    /// Form of the place.
    package var shape: Shape
    /// Text key of the explanation.
    package var help: String
    /// True when the place may be left empty.
    package var isOptional: Bool
    /// Words that the place takes; `nil` for all that the field has.
    package var only: [String]?
    /// Text key of the refusal of a word that is no value; `nil` for the one of its kind.
    package var refusal: String?
    /// True when an empty place stands for the value that the sample of the command has.
    package var hasUsual = false

    /// True for a place that is known by its position.
    package var isArgument: Bool {
        switch self.shape {
        case .argument, .words, .names: true
        case .option, .list, .people, .time, .number, .flag: false
        }
    }

    /// True for an option that takes values with commas between them.
    var isList: Bool {
        switch self.shape {
        case .list, .people: true
        case .argument, .words, .names, .option, .time, .number, .flag: false
        }
    }

    /// True for a place that takes all words that are left.
    package var isRepeated: Bool {
        switch self.shape {
        case .words, .names: true
        case .argument, .option, .list, .people, .time, .number, .flag: false
        }
    }
}

extension CommandPlace {
    static func argument(
        _ name: String, _ help: String, isOptional: Bool = false, only: [String]? = nil, refusal: String? = nil
    ) -> CommandPlace {
        CommandPlace(
            name: name, shape: .argument, help: help, isOptional: isOptional, only: only, refusal: refusal)
    }

    static func words(_ name: String, _ help: String) -> CommandPlace {
        CommandPlace(name: name, shape: .words, help: help, isOptional: false)
    }

    static func option(
        _ name: String, _ value: String, _ help: String, isOptional: Bool = true, hasUsual: Bool = false,
        refusal: String? = nil
    ) -> CommandPlace {
        CommandPlace(
            name: name, shape: .option(value), help: help, isOptional: isOptional, refusal: refusal,
            hasUsual: hasUsual)
    }

    /// An option that names a person and must be given.
    static func person(_ name: String, _ help: String) -> CommandPlace {
        .option(name, "NAME", help, isOptional: false)
    }

    /// An option of an enumeration, which help shows with all its words.
    static func choice(_ name: String, _ help: String, hasUsual: Bool = false) -> CommandPlace {
        .option(name, "WORD", help, hasUsual: hasUsual)
    }

    static func list(_ name: String, _ value: String, _ help: String, refusal: String? = nil) -> CommandPlace {
        CommandPlace(name: name, shape: .list(value), help: help, isOptional: true, refusal: refusal)
    }

    static func number(
        _ name: String, _ bounds: ClosedRange<Int64>, _ help: String, hasUsual: Bool = false
    ) -> CommandPlace {
        CommandPlace(name: name, shape: .number(bounds), help: help, isOptional: true, hasUsual: hasUsual)
    }

    static func time(_ name: String, _ help: String) -> CommandPlace {
        CommandPlace(name: name, shape: .time, help: help, isOptional: true)
    }

    static func flag(_ name: String, _ help: String, says value: Bool = true) -> CommandPlace {
        CommandPlace(name: name, shape: .flag(value), help: help, isOptional: true)
    }

    // MARK: Places that many operations have

    static let team = argument("TEAM", "argument.team")
    static let group = argument("GROUP", "argument.group")
    static let conversation = argument("CONVERSATION", "argument.conversation")
    static let user = argument("NAME", "argument.userName")
    static let names = CommandPlace(name: "NAMES", shape: .names, help: "argument.names", isOptional: true)
    static let members = CommandPlace(
        name: "members", shape: .people("NAMES"), help: "option.members", isOptional: true)
}

/// Words of a command line by the names of their places: `TEAM`, `minutes`. A flag that is given has no words.
package typealias PlacedWords = [String: [String]]

// MARK: Values as words

extension AdminValue {
    static var choices: [String]? { nil }
    static func unsaid(at place: CommandPlace) -> Self? { nil }
    static var splitsAtCommas: Bool { false }
    func words(at place: CommandPlace) -> [String]? { nil }
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    init(words: [String], at place: CommandPlace) throws(AdminError) {
        throw AdminError(.invalid, "\(place.name): this field is on no command line")
    }
}

extension CommandPlace {
    /// The one word of the place.
    ///
    /// - Throws: `invalid` for several words, and for a word that the place does not take.
    func word(of words: [String]) throws(AdminError) -> String {
        guard let word = words.last, self.only?.contains(word) ?? true else { throw self.refusal(of: words.last ?? "") }
        return word
    }

    /// Refusal of a word that is no value here.
    func refusal(
        of word: String, key: String? = nil, maximum: Int? = nil, choices: [String]? = nil
    ) -> AdminError {
        var values = ["name": word, "text": word, "number": word, "row": word, "value": word, "key": word]
        values["maximum"] = maximum.map { String($0) }
        values["rows"] = choices?.joined(separator: ", ")
        return AdminError(
            .invalid, "\(self.name): \(word) is no value of it",
            typed: AdminError.Typed(key: self.refusal ?? key ?? self.help, values: values))
    }
}

extension String {
    static func unsaid(at place: CommandPlace) -> String? { place.isOptional ? "" : nil }
    func words(at place: CommandPlace) -> [String]? { [self] }
    init(words: [String], at place: CommandPlace) throws(AdminError) {
        self = place.isRepeated ? words.joined(separator: " ") : try place.word(of: words)
    }
}

extension Int64 {
    func words(at place: CommandPlace) -> [String]? { place.shape == .time ? nil : [String(self)] }
    init(words: [String], at place: CommandPlace) throws(AdminError) {
        let word = try place.word(of: words)
        let bounds =
            switch place.shape {
            case .number(let bounds): bounds
            case .time: Int64.min...Int64.max
            case .argument, .words, .names, .option, .list, .people, .flag: 1...Int64.max
            }
        guard let number = Int64(word), bounds.contains(number) else {
            throw place.refusal(of: word, key: "ctl.badNumber")
        }
        self = number
    }
}

extension Bool {
    static func unsaid(at place: CommandPlace) -> Bool? {
        guard case .flag(let said) = place.shape else { return nil }
        return !said
    }
    func words(at place: CommandPlace) -> [String]? {
        if case .flag = place.shape { return [] }
        return [self ? "on" : "off"]
    }
    init(words: [String], at place: CommandPlace) throws(AdminError) {
        if case .flag(let said) = place.shape {
            self = said
        } else {
            let word = try place.word(of: words)
            guard word == "on" || word == "off" else { throw place.refusal(of: word) }
            self = word == "on"
        }
    }
}

extension Optional where Wrapped: AdminValue {
    static var choices: [String]? { Wrapped.choices }
    static func unsaid(at place: CommandPlace) -> Wrapped?? { .some(nil) }
    func words(at place: CommandPlace) -> [String]? { self?.words(at: place) }
    init(words: [String], at place: CommandPlace) throws(AdminError) { self = try Wrapped(words: words, at: place) }
}

extension Array where Element: AdminValue {
    static var choices: [String]? { Element.choices }
    static func unsaid(at place: CommandPlace) -> [Element]? { [] }
    func words(at place: CommandPlace) -> [String]? {
        var words: [String] = []
        for element in self {
            guard let word = element.words(at: place)?.first else { return nil }
            words.append(word)
        }
        return place.isRepeated || words.isEmpty ? words : [words.joined(separator: ",")]
    }
    init(words: [String], at place: CommandPlace) throws(AdminError) {
        self = []
        for word in words {
            guard Element.splitsAtCommas || place.isList else {
                self.append(try Element(words: [word], at: place))
                continue
            }
            for part in word.split(separator: ",") {
                self.append(try Element(words: [String(part.drop { $0 == " " })], at: place))
            }
        }
    }
}

extension AdminText {
    static var typedRefusal: (key: String, maximum: Int)? { nil }
    static var splitsAtCommas: Bool { true }
    func words(at place: CommandPlace) -> [String]? { [self.spelling] }
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    init(words: [String], at place: CommandPlace) throws(AdminError) {
        let word = try place.word(of: words)
        guard let value = Self(spelling: word) else {
            let refusal = Self.typedRefusal
            throw place.refusal(of: word, key: refusal?.key, maximum: refusal?.maximum, choices: Self.choices)
        }
        self = value
    }
}

extension AdminText where Self: AdminWord {
    static var choices: [String]? { Self.words }
}

extension UserName {
    static var typedRefusal: (key: String, maximum: Int)? { ("ctl.badUserName", Self.maximumScalars) }
}

extension ChannelName {
    static var typedRefusal: (key: String, maximum: Int)? { ("ctl.badGroupName", Self.maximumScalars) }
}

// MARK: Values with words of their own

extension DeviceClass {
    /// Names of the classes of the SDKs, which `ctl` knows.
    static var choices: [String]? { ["app", "web", "desktop"] }
}

extension UserRole {
    static var choices: [String]? { Self.allCases.map(\.typed) }
    func words(at place: CommandPlace) -> [String]? { [self.typed] }
    init(words: [String], at place: CommandPlace) throws(AdminError) {
        let word = try place.word(of: words)
        guard let role = Self.allCases.first(where: { $0.typed == word }) else { throw place.refusal(of: word) }
        self = role
    }
}

extension MessageKind {
    func words(at place: CommandPlace) -> [String]? { [String(self.rawValue)] }
    init(words: [String], at place: CommandPlace) throws(AdminError) {
        let word = try place.word(of: words)
        let bounds = if case .number(let bounds) = place.shape { bounds } else { 1...Int64(Int32.max) }
        guard let number = Int32(word), bounds.contains(Int64(number)) else { throw place.refusal(of: word) }
        self.init(rawValue: number)
    }
}
