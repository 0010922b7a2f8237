import Glibc

/// Turns words into `Options`.
package struct OptionParser {
    private var words: ArraySlice<String>
    private var options = Options()
    private var scenarioNames: [String] = []
    private var windows: [Int] = []
    private var senders: [Int] = []
    private var pairs = 100
    private var members = 500
    private var connections = 5_000
    private var messages = 10_000
    private var target: Endpoint?
    private var targetProcess: Int32?
    private var binary: String?
    private var configuration: String?
    private var encodings = [ClientProtocol.json]
    private var references: [ServerChoice] = []

    private static let scenarioOrder = ["pairs", "fanout", "signin", "idle", "catchup"]

    /// - Throws: `usage`, with what was wrong.
    package static func parse(_ words: [String]) throws(BenchError) -> Options {
        var parser = OptionParser(words: words[...])
        try parser.readWords()
        return try parser.finished()
    }

    private init(words: ArraySlice<String>) { self.words = words }

    private mutating func readWords() throws(BenchError) {
        if self.words.first == "run" { self.words.removeFirst() }
        while let word = self.words.popFirst() {
            if word.hasPrefix("--") {
                if try !self.readServer(word) { try self.readOption(word) }
            } else if word == "all" || Self.scenarioOrder.contains(word) {
                self.scenarioNames.append(word)
            } else {
                throw .usage("\(word) is no scenario: pairs, fanout, idle, signin, catchup or all")
            }
        }
    }

    /// Reads an option that says what is measured; false when it is not one of these.
    private mutating func readServer(_ word: String) throws(BenchError) -> Bool {
        switch word {
        case "--server": self.binary = try self.value(word)
        case "--config": self.configuration = try self.value(word)
        case "--target": self.target = try Options.endpoint(self.value(word))
        case "--server-pid": self.targetProcess = Int32(try self.number(word, 1...4_194_304))
        case "--users": self.options.usersFile = try self.value(word)
        case "--group": self.options.group = try self.value(word)
        case "--app-id": self.options.appID = try self.value(word)
        case "--protocol": self.encodings = try self.readEncodings(word)
        case "--reference":
            let name = try self.value(word)
            guard let choice = ServerChoice.references.first(where: { $0.name == name }) else {
                throw .usage("no reference is called \(name): bare, log, mosquitto or mosquitto-saving")
            }
            guard choice.isAvailable else { throw .usage("\(name) needs \(ServerChoice.mosquittoPath)") }
            self.references.append(choice)
        case "--with-references": self.references = ServerChoice.references.filter(\.isAvailable)
        default: return false
        }
        return true
    }

    /// Names with commas between; the first is the one that others are compared with.
    private mutating func readEncodings(_ word: String) throws(BenchError) -> [ClientProtocol] {
        let text = try self.value(word)
        if text == "both" { return [.json, .binary] }
        if text == "all" { return ClientProtocol.allCases }
        var encodings: [ClientProtocol] = []
        for name in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let encoding = ClientProtocol(rawValue: String(name)), !encodings.contains(encoding) else {
                let names = ClientProtocol.allCases.map(\.rawValue).joined(separator: ", ")
                throw .usage("\(word) \(text): \(names), several with commas between, both or all")
            }
            encodings.append(encoding)
        }
        return encodings
    }

    private mutating func readOption(_ word: String) throws(BenchError) {
        switch word {
        case "--pairs": self.pairs = try self.number(word, 1...10_000)
        case "--members": self.members = try self.number(word, 2...20_000)
        case "--connections": self.connections = try self.number(word, 1...50_000)
        case "--messages": self.messages = try self.number(word, 1...10_000_000)
        case "--window": self.windows = try self.numbers(word, 1...Sender.largestWindow)
        case "--senders": self.senders = try self.numbers(word, 1...1_000)
        case "--rounds": self.options.rounds = try self.number(word, 1...99)
        case "--seconds": self.options.bounds.measuredSeconds = try self.seconds(word)
        case "--warm-up": self.options.bounds.warmUpSeconds = try self.seconds(word)
        case "--folder": self.options.workFolder = try self.value(word)
        case "--json": self.options.json = true
        case "--verify-keys": self.options.keyCheckInterval = try self.share(word)
        default: throw .usage("unknown option \(word); --help shows them all")
        }
    }

    private mutating func value(_ word: String) throws(BenchError) -> String {
        guard let value = self.words.popFirst() else { throw .usage("\(word) needs a value") }
        return value
    }

    private mutating func number(_ word: String, _ range: ClosedRange<Int>) throws(BenchError) -> Int {
        let text = try self.value(word)
        guard let number = Int(text), range.contains(number) else {
            throw .usage("\(word) \(text): give a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private mutating func numbers(_ word: String, _ range: ClosedRange<Int>) throws(BenchError) -> [Int] {
        let text = try self.value(word)
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).compactMap { Int($0) }
        guard numbers.count == text.count(where: { $0 == "," }) + 1, numbers.allSatisfy(range.contains) else {
            throw .usage("\(word) \(text): give numbers from \(range.lowerBound) to \(range.upperBound), with commas")
        }
        return numbers
    }

    private mutating func seconds(_ word: String) throws(BenchError) -> Double {
        let text = try self.value(word)
        guard let seconds = Double(text), (0...600).contains(seconds) else {
            throw .usage("\(word) \(text): give seconds, at most 600")
        }
        return seconds
    }

    /// `1/N`; returns N.
    private mutating func share(_ word: String) throws(BenchError) -> Int {
        let text = try self.value(word)
        guard text.hasPrefix("1/"), let number = Int(text.dropFirst(2)), (1...1_000_000).contains(number) else {
            throw .usage("\(word) \(text): give a share from 1/1 to 1/1000000")
        }
        return number
    }

    private mutating func finished() throws(BenchError) -> Options {
        if let binary = self.binary {
            self.options.servers += self.encodings.map {
                .teahouse(binary: binary, configuration: self.configuration, encoding: $0)
            }
        }
        if let target = self.target {
            guard !self.encodings.contains(.leanCloud) || !self.options.appID.isEmpty else {
                throw .usage("--target as leancloud needs --app-id ID, which teahouse ctl app show tells")
            }
            self.options.servers += self.encodings.map {
                .target(target, process: self.targetProcess, encoding: $0)
            }
        }
        self.options.servers += self.references
        guard !self.options.servers.isEmpty else {
            throw .usage("say what to measure: --server, --target, --reference or --with-references")
        }
        guard !self.scenarioNames.isEmpty else { throw .usage("name a scenario, such as pairs or all") }
        let isAll = self.scenarioNames.contains("all")
        for name in isAll ? Self.scenarioOrder : self.scenarioNames {
            self.options.scenarios += self.scenarios(name, isAll: isAll)
        }
        if let senders = self.senders.max(), senders > self.members {
            throw .usage("--senders \(senders): there are only \(self.members) members")
        }
        return self.options
    }

    private func scenarios(_ name: String, isAll: Bool) -> [Scenario] {
        switch name {
        case "pairs":
            let windows = self.windows.isEmpty ? (isAll ? [16, 1] : [16]) : self.windows
            return windows.map { .pairs(pairs: self.pairs, window: $0) }
        case "fanout":
            let senders = self.senders.isEmpty ? (isAll ? [1, 10] : [1]) : self.senders
            let windows = self.windows.isEmpty || isAll ? [32] : self.windows
            return senders.flatMap { count in
                windows.map { .fanOut(members: self.members, senders: count, window: $0) }
            }
        case "signin": return [.signIn(connections: self.connections)]
        case "idle": return [.idle(connections: self.connections)]
        default: return [.catchUp(messages: self.messages)]
        }
    }
}
