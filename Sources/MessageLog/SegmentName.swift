/// Names of the log's files: `segment-0`, `segment-1` ... One that is being made has another until it is whole.
enum SegmentName {
    private static let prefix = "segment-"
    static let unfinished = "segment.new"

    static func of(_ number: Int) -> String { "\(self.prefix)\(number)" }

    /// Number of a segment; `nil` for another file.
    static func number(of name: String) -> Int? {
        guard name.hasPrefix(self.prefix), let number = Int(name.dropFirst(self.prefix.count)), number >= 0,
            self.of(number) == name
        else { return nil }
        return number
    }
}
