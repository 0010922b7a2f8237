package import AdminAPI

/// The settings of the server's file, as the operator sees them and changes some while it runs. Any thread.
package struct ServerSettings: Sendable {
    /// All of them, as they hold now.
    package var list: @Sendable () -> [AdminSetting]
    /// Checks a value for a key that is live, and returns how it is stored.
    ///
    /// - Throws: `invalid`; `notFound`; `refused` for a key that needs a restart.
    package var check: @Sendable (_ name: String, _ value: String) throws(AdminError) -> String
    /// Has a checked value hold from now on; `nil` for what the file says.
    package var apply: @Sendable (_ name: String, _ value: String?) -> Void

    package init(
        list: @escaping @Sendable () -> [AdminSetting],
        check: @escaping @Sendable (_ name: String, _ value: String) throws(AdminError) -> String,
        apply: @escaping @Sendable (_ name: String, _ value: String?) -> Void
    ) {
        self.list = list
        self.check = check
        self.apply = apply
    }
}
