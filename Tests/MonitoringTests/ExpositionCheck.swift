import Foundation

/// A strict reader of Prometheus' text format, with the rules of `promtool check metrics`: it runs where that is missing.
///
/// Source: Prometheus documentation, "Exposition formats" and "Metric and label naming"; prometheus/client_golang,
/// `testutil/promlint`.
struct ExpositionCheck {
    private(set) var problems: [String] = []
    /// Kind of each family.
    private(set) var kinds: [String: String] = [:]
    /// Values by name and labels as they stand.
    private(set) var values: [String: Double] = [:]
    /// Names of labels that occur.
    private(set) var labels: Set<String> = []
    private var helps: Set<String> = []
    private var closed: Set<String> = []
    private var family = ""
    private var buckets: [String: [(bound: Double, count: Double)]] = [:]

    init(_ text: String) {
        if !text.hasSuffix("\n") { self.problems.append("the last line does not end") }
        for line in text.split(separator: "\n") {
            if line.hasPrefix("# HELP ") {
                self.takeHelp(line)
            } else if line.hasPrefix("# TYPE ") {
                self.takeType(line)
            } else if !line.hasPrefix("#") {
                self.takeSample(line)
            }
        }
        self.checkHistograms()
    }

    private mutating func takeHelp(_ line: Substring) {
        let words = line.split(separator: " ", maxSplits: 3)
        let name = String(words[2])
        if words.count < 4 { self.problems.append("\(name) has no help") }
        if !self.helps.insert(name).inserted { self.problems.append("\(name) has two helps") }
        if name.wholeMatch(of: /[a-zA-Z_:][a-zA-Z0-9_:]*/) == nil { self.problems.append("\(name) is no name") }
        if name.lowercased() != name || name.contains(":") { self.problems.append("\(name) is no snake case") }
        let units: Set = [
            "milliseconds", "ms", "us", "ns", "minutes", "hours", "days", "kilobytes", "kb", "mb", "kib", "mib",
            "percent", "celsius", "sec", "s", "b",
        ]
        for word in name.split(separator: "_") where units.contains(String(word)) {
            self.problems.append("\(name) has no base unit: \(word)")
        }
        for kind in ["counter", "gauge", "histogram", "summary"]
        where name.split(separator: "_").contains(Substring(kind)) {
            self.problems.append("\(name) says its kind")
        }
    }

    private mutating func takeType(_ line: Substring) {
        let words = line.split(separator: " ")
        guard words.count == 4 else { return self.problems.append("no type: \(line)") }
        let (name, kind) = (String(words[2]), String(words[3]))
        if !self.helps.contains(name) { self.problems.append("\(name) has its type before its help") }
        if self.kinds[name] != nil { self.problems.append("\(name) comes twice") }
        if !["counter", "gauge", "histogram"].contains(kind) { self.problems.append("\(name) is a \(kind)") }
        if (kind == "counter") != name.hasSuffix("_total") { self.problems.append("\(name) is a \(kind)") }
        for end in ["_sum", "_count", "_bucket"] where name.hasSuffix(end) { self.problems.append("\(name) is taken") }
        self.kinds[name] = kind
        if !self.family.isEmpty { self.closed.insert(self.family) }
        self.family = name
    }

    private mutating func takeSample(_ line: Substring) {
        guard let match = line.wholeMatch(of: /([a-zA-Z_:][a-zA-Z0-9_:]*)(\{.*\})? (\S+)/) else {
            return self.problems.append("no sample: \(line)")
        }
        let name = String(match.output.1)
        let isHistogram = self.kinds[self.family] == "histogram"
        let allowed = isHistogram ? ["_bucket", "_sum", "_count"].map { self.family + $0 } : [self.family]
        if !allowed.contains(name) { self.problems.append("\(name) stands with \(self.family)") }
        if self.closed.contains(name) { self.problems.append("\(name) comes in two places") }
        let text = String(match.output.3)
        guard let value = Double(text.replacingOccurrences(of: "+Inf", with: "inf")) else {
            return self.problems.append("no number: \(line)")
        }
        if self.kinds[self.family] != "gauge", value < 0 { self.problems.append("\(name) is below zero") }
        let pairs = self.pairs(String(match.output.2 ?? ""), of: line)
        let key = name + String(match.output.2 ?? "")
        if self.values.updateValue(value, forKey: key) != nil { self.problems.append("\(key) comes twice") }
        if name.hasSuffix("_bucket"), isHistogram {
            let bound = pairs["le"].flatMap { Double($0.replacingOccurrences(of: "+Inf", with: "inf")) }
            self.buckets[self.family, default: []].append((bound ?? .nan, value))
        }
    }

    /// Labels with their values, unescaped.
    private mutating func pairs(_ braces: String, of line: Substring) -> [String: String] {
        guard !braces.isEmpty else { return [:] }
        var (pairs, rest): ([String: String], Substring) = ([:], braces.dropFirst())
        while let match = rest.prefixMatch(of: /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"([,}])/) {
            let name = String(match.output.1)
            self.labels.insert(name)
            if pairs.updateValue(String(match.output.2), forKey: name) != nil {
                self.problems.append("a label twice: \(line)")
            }
            rest = rest[match.range.upperBound...]
        }
        if !rest.isEmpty { self.problems.append("labels that cannot be read: \(line)") }
        return pairs
    }

    private mutating func checkHistograms() {
        for (name, buckets) in self.buckets {
            let isAscending = zip(buckets, buckets.dropFirst()).allSatisfy {
                $0.bound < $1.bound && $0.count <= $1.count
            }
            if !isAscending { self.problems.append("the buckets of \(name) do not rise") }
            if buckets.last?.bound != .infinity { self.problems.append("\(name) has no last bucket") }
            if buckets.last?.count != self.values[name + "_count"] { self.problems.append("\(name) has another count") }
        }
    }
}
