/// A value that can stand for a `?` in a statement.
@usableFromInline
package protocol Bindable {
    func bind(to statement: Statement, at index: Int32)
}

extension Int64: Bindable {
    @inlinable
    package func bind(to statement: Statement, at index: Int32) { statement.bind(index, self) }
}

extension Int: Bindable {
    @inlinable
    package func bind(to statement: Statement, at index: Int32) { statement.bind(index, Int64(self)) }
}

extension Bool: Bindable {
    @inlinable
    package func bind(to statement: Statement, at index: Int32) { statement.bind(index, self ? 1 : 0) }
}

extension String: Bindable {
    @inlinable
    package func bind(to statement: Statement, at index: Int32) { statement.bind(index, self) }
}

extension [UInt8]: Bindable {
    @inlinable
    package func bind(to statement: Statement, at index: Int32) { statement.bind(index, self) }
}

extension Optional: Bindable where Wrapped: Bindable {
    @inlinable
    package func bind(to statement: Statement, at index: Int32) {
        if let self { self.bind(to: statement, at: index) } else { statement.bindNull(index) }
    }
}
