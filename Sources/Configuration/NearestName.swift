/// Finds what somebody probably meant.
package enum NearestName {
    /// The name with the fewest changed letters, when that is at most a third of them.
    package static func of(_ word: String, in names: [String]) -> String? {
        let word = Array(word.utf8)
        let ranked = names.map { (name: $0, distance: Self.distance(word, Array($0.utf8))) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(1, max(word.count, best.name.utf8.count) / 3) ? best.name : nil
    }

    /// Letters to change, add or remove to get from one to the other (Levenshtein).
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var row = Array(0...right.count)
        for (i, letter) in left.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, other) in right.enumerated() {
                let substituted = diagonal + (letter == other ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(substituted, row[j] + 1, diagonal + 1)
            }
        }
        return row[right.count]
    }
}
