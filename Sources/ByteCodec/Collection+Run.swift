extension Collection where Element: Equatable {
    /// Searches for the elements of `run`, one after another. An empty run is found everywhere.
    ///
    /// The standard library has this only beside its regular expressions, whose engine would make every binary larger
    /// by a megabyte.
    @inlinable
    package func contains(run: some Collection<Element>) -> Bool {
        if run.isEmpty { return true }
        return self.indices.contains { self[$0...].starts(with: run) }
    }
}
