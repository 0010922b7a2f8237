/// A value that can stand for a `?` in a statement.
@usableFromInline
package protocol Bindable {
    /// Gives the `?` at `index`, counted from 1, this value.
    func bind(to statement: Statement, at index: Int32)
}

extension Int64: Bindable {
    /// Binds an integer.
    @inlinable
    package func bind(to statement: Statement, at index: Int32) { statement.bind(index, self) }
}

extension Int: Bindable {
    /// Binds an integer.
    @inlinable
    package func bind(to statement: Statement, at index: Int32) { statement.bind(index, Int64(self)) }
}

extension Bool: Bindable {
    /// Binds 1 or 0.
    @inlinable
    package func bind(to statement: Statement, at index: Int32) { statement.bind(index, self ? 1 : 0) }
}

extension String: Bindable {
    /// Binds text.
    @inlinable
    package func bind(to statement: Statement, at index: Int32) { statement.bind(index, self) }
}

extension [UInt8]: Bindable {
    /// Binds a blob.
    @inlinable
    package func bind(to statement: Statement, at index: Int32) { statement.bind(index, self) }
}

extension Optional: Bindable where Wrapped: Bindable {
    /// Binds the value, or NULL for `nil`.
    @inlinable
    package func bind(to statement: Statement, at index: Int32) {
        if let self { self.bind(to: statement, at: index) } else { statement.bindNull(index) }
    }
}
