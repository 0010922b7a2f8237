/// How many sessions a person may have at once, by class of device, and which classes exclude each other.
///
/// Beside it, the same device signing in again always ends its older session, and `limits.sessions_per_user` holds for all
/// classes together.
package struct SignInPolicy: Hashable, Sendable {
    /// How many sessions of one class a person has at once.
    package enum Sessions: Hashable, Sendable {
        /// As the level of the device that signs in says: a primary one ends the others of its class, a secondary one
        /// stays beside them. Source: WuKongIM device level.
        case byLevel
        /// 1...`SignInPolicy.mostSessions`: with one more the oldest of the class ends.
        case atMost(Int)
        case unlimited

        /// `level`, `unlimited`, or the number.
        package var word: String {
            switch self {
            case .byLevel: "level"
            case .atMost(let count): String(count)
            case .unlimited: "unlimited"
            }
        }

        /// - Returns: `nil` for another word, or a number out of its bounds.
        package init?(word: String) {
            switch word {
            case "level": self = .byLevel
            case "unlimited": self = .unlimited
            default:
                guard let count = Int(word), String(count) == word, (1...SignInPolicy.mostSessions).contains(count)
                else { return nil }
                self = .atMost(count)
            }
        }
    }

    /// Two classes of which a person has sessions of one at a time.
    package struct Exclusion: Hashable, Sendable, Comparable {
        /// One class.
        package let one: DeviceClass
        /// Person who is asked.
        package let other: DeviceClass

        /// In either order. - Returns: `nil` for a class and itself.
        package init?(_ one: DeviceClass, _ other: DeviceClass) {
            guard one != other else { return nil }
            self.one = one.name < other.name ? one : other
            self.other = one.name < other.name ? other : one
        }

        package static func < (left: Exclusion, right: Exclusion) -> Bool {
            (left.one.name, left.other.name) < (right.one.name, right.other.name)
        }
    }

    /// Policies that are known by a word.
    package enum Preset: String, Sendable, CaseIterable {
        /// Policy by the devices' levels: the default.
        case byLevel = "by-level"
        /// One session of each class.
        case onePerClass = "one-per-class"
        /// One session of each class, and either a desktop or a browser. Source: the rules of QQ, in LeanCloud's guide to
        /// single sign-on.
        case desktopOrWeb = "pc-and-web-exclusive"
        case unlimited = "unlimited"

        /// Policy of the preset.
        package var policy: SignInPolicy {
            switch self {
            case .byLevel: SignInPolicy(standard: .byLevel)
            case .onePerClass: SignInPolicy(standard: .atMost(1))
            case .desktopOrWeb:
                SignInPolicy(standard: .atMost(1), exclusions: [Exclusion(.desktop, .web)].compactMap { $0 })
            case .unlimited: SignInPolicy(standard: .unlimited)
            }
        }
    }

    /// Most sessions of one class that a policy can allow by number.
    package static let mostSessions = 1000
    /// Most classes that a policy names.
    package static let mostClasses = 32

    /// For the classes that `classes` does not name.
    package var standard: Sessions
    /// Sessions allowed by class.
    package var classes: [DeviceClass: Sessions]
    /// Pairs of classes that exclude each other.
    package var exclusions: Set<Exclusion>

    package init(
        standard: Sessions, classes: [DeviceClass: Sessions] = [:], exclusions: some Sequence<Exclusion> = []
    ) {
        self.standard = standard
        self.classes = classes
        self.exclusions = Set(exclusions)
    }

    /// Sessions that this class allows.
    package func sessions(of deviceClass: DeviceClass) -> Sessions { self.classes[deviceClass] ?? self.standard }

    /// The preset that this policy is; `nil` for one of the operator's own.
    package var preset: Preset? { Preset.allCases.first { $0.policy == self } }
}

// MARK: What it does

extension SignInPolicy {
    /// An open session, or one that begins, as far as the policy looks at it.
    package struct Device: Hashable, Sendable {
        /// Class of the device.
        package var deviceClass: DeviceClass
        /// Identifier that the device gives itself.
        package var deviceID: String
        /// Level of the device.
        package var level: DeviceLevel

        package init(_ deviceClass: DeviceClass, id: String, _ level: DeviceLevel) {
            self.deviceClass = deviceClass
            self.deviceID = id
            self.level = level
        }
    }

    /// Reason why a session ends.
    package enum EndReason: Hashable, Sendable {
        /// The same device signed in again.
        case sameDevice
        /// Another device signed in, and both are not allowed.
        case takenOver
    }

    /// A session that ends.
    package struct End: Hashable, Sendable {
        /// Index among the given sessions.
        package var index: Int
        /// Reason.
        package var reason: EndReason

        package init(_ index: Int, _ reason: EndReason) {
            self.index = index
            self.reason = reason
        }
    }

    /// Sessions of a person that end when another one begins.
    ///
    /// - Parameter open: oldest first, without the new one.
    /// - Returns: in the order of `open`.
    package func ended(of open: [Device], by new: Device) -> [End] {
        var ends: [End] = []
        var rivals: [Int] = []
        for (index, device) in open.enumerated() {
            if device.deviceClass == new.deviceClass {
                if device.deviceID == new.deviceID {
                    ends.append(End(index, .sameDevice))
                } else {
                    rivals.append(index)
                }
            } else if self.excludes(device.deviceClass, new.deviceClass) {
                ends.append(End(index, .takenOver))
            }
        }
        let tooMany: Int
        switch self.sessions(of: new.deviceClass) {
        case .byLevel: tooMany = new.level == .primary ? rivals.count : 0
        case .atMost(let count): tooMany = max(0, rivals.count + 1 - count)
        case .unlimited: tooMany = 0
        }
        ends += rivals.prefix(tooMany).map { End($0, .takenOver) }
        return ends.sorted { $0.index < $1.index }
    }

    /// Sessions of a person that would not be open, had this policy held when they signed in.
    ///
    /// - Parameter open: in the order they signed in.
    package func ended(of open: [Device]) -> [End] {
        var staying: [Int] = []
        var ends: [End] = []
        for index in open.indices {
            let gone = self.ended(of: staying.map { open[$0] }, by: open[index])
            ends += gone.map { End(staying[$0.index], $0.reason) }
            let places = Set(gone.map(\.index))
            staying = staying.enumerated().filter { !places.contains($0.offset) }.map(\.element) + [index]
        }
        return ends.sorted { $0.index < $1.index }
    }

    private func excludes(_ one: DeviceClass, _ other: DeviceClass) -> Bool {
        guard !self.exclusions.isEmpty, let pair = Exclusion(one, other) else { return false }
        return self.exclusions.contains(pair)
    }
}

// MARK: As a text

/// Error in the text of a policy.
package struct SignInPolicyError: Error, Hashable, Sendable, CustomStringConvertible {
    package var description: String
    init(_ description: String) { self.description = description }
}

extension SignInPolicy {
    /// `*=level app=2 desktop!web`: the standard first, then classes, then exclusions, each by name.
    package var text: String {
        let classes = self.classes.sorted { $0.key.name < $1.key.name }.map { "\($0.key.name)=\($0.value.word)" }
        let exclusions = self.exclusions.sorted().map { "\($0.one.name)!\($0.other.name)" }
        return (["*=\(self.standard.word)"] + classes + exclusions).joined(separator: " ")
    }

    /// Reads a preset's word, or what `text` writes, in any order; without `*=` the standard is `level`.
    package init(_ text: String) throws(SignInPolicyError) {
        if let preset = Preset(rawValue: text) {
            self = preset.policy
            return
        }
        self.init(standard: .byLevel)
        for part in text.split(separator: " ") { try self.read(part) }
        guard self.classes.count <= Self.mostClasses, self.exclusions.count <= Self.mostClasses * 4 else {
            throw SignInPolicyError("a policy names at most \(Self.mostClasses) classes")
        }
    }

    private mutating func read(_ part: Substring) throws(SignInPolicyError) {
        let isExclusion = part.contains("!")
        let sides = part.split(separator: isExclusion ? "!" : "=", omittingEmptySubsequences: false).map(String.init)
        guard sides.count == 2 else { throw Self.unreadable(part) }
        if isExclusion {
            guard let one = Self.deviceClass(sides[0]), let other = Self.deviceClass(sides[1]),
                let pair = Exclusion(one, other)
            else { throw Self.unreadable(part) }
            self.exclusions.insert(pair)
            return
        }
        guard let sessions = Sessions(word: sides[1]) else {
            throw SignInPolicyError("\(part): level, unlimited or 1 to \(Self.mostSessions) sessions")
        }
        if sides[0] == "*" {
            self.standard = sessions
        } else if let deviceClass = Self.deviceClass(sides[0]) {
            self.classes[deviceClass] = sessions
        } else {
            throw Self.unreadable(part)
        }
    }

    private static func deviceClass(_ name: String) -> DeviceClass? {
        name.contains(where: { "*=!".contains($0) }) ? nil : DeviceClass(name)
    }

    private static func unreadable(_ part: Substring) -> SignInPolicyError {
        SignInPolicyError("\(part) is neither CLASS=SESSIONS nor CLASS!CLASS, nor the policy one of the presets")
    }
}
