/// The name that was probably meant, or `nil` when none is near enough to suggest.
///
/// Near is at most one mistake per three characters typed, a swap of neighbours counting as one mistake.
package func nearestName(to typed: String, among names: [String]) -> String? {
    let typed = Array(typed.lowercased().unicodeScalars.prefix(64))
    let allowed = max(1, typed.count / 3)
    var best: (name: String, mistakes: Int)?
    for name in names {
        let mistakes = mistakesBetween(typed, Array(name.lowercased().unicodeScalars.prefix(64)))
        if mistakes <= allowed && mistakes < best?.mistakes ?? .max { best = (name, mistakes) }
    }
    return best?.name
}

/// Optimal string alignment distance: insert, delete, replace, swap neighbours.
private func mistakesBetween(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
    guard !left.isEmpty && !right.isEmpty else { return max(left.count, right.count) }
    var beforeLast = [Int](repeating: 0, count: right.count + 1)
    var last = Array(0...right.count)
    for i in 1...left.count {
        var row = [i] + [Int](repeating: 0, count: right.count)
        for j in 1...right.count {
            let cost = left[i - 1] == right[j - 1] ? 0 : 1
            row[j] = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + cost)
            if i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1] {
                row[j] = min(row[j], beforeLast[j - 2] + 1)
            }
        }
        (beforeLast, last) = (last, row)
    }
    return last[right.count]
}
