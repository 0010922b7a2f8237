package import AdminAPI

/// The cloud functions of an app, as the operator sees them and switches some off while the server runs. Any thread.
package struct ServerFunctions: Sendable {
    /// Functions that are called, by name, with the outcomes of their calls.
    package var list: @Sendable () -> [AdminHookFunction]
    /// News that were not told.
    package var dropped: @Sendable () -> Int64
    /// Has one that is called not be called from now on, or be called again.
    package var setDisabled: @Sendable (_ name: String, _ isDisabled: Bool) -> Void

    package init(
        list: @escaping @Sendable () -> [AdminHookFunction], dropped: @escaping @Sendable () -> Int64,
        setDisabled: @escaping @Sendable (_ name: String, _ isDisabled: Bool) -> Void
    ) {
        self.list = list
        self.dropped = dropped
        self.setDisabled = setDisabled
    }
}
