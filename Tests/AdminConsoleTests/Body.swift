extension ConsoleDriver {
    /// The screen without the names of all screens above it.
    func body(_ columns: Int = 80, _ rows: Int = 24) -> [String] { Array(self.screen(columns, rows).dropFirst()) }
}
