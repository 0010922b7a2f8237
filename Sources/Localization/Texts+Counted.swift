extension Texts {
    /// A text that depends on a number: `key.one` for exactly 1, else `key.other`, with the number as `{count}`. Languages
    /// without a plural word both alike.
    package func counted(_ key: String, _ count: Int64, _ values: [String: String] = [:]) -> String {
        self(count == 1 ? "\(key).one" : "\(key).other", values.merging(["count": String(count)]) { $1 })
    }
}
