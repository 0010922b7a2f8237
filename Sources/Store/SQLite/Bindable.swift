import ChatModel

/// What can stand for a `?` in a statement.
protocol Bindable {
    func bind(to statement: Statement, at index: Int32)
}

extension Int64: Bindable {
    func bind(to statement: Statement, at index: Int32) { statement.bind(index, self) }
}

extension Int: Bindable {
    func bind(to statement: Statement, at index: Int32) { statement.bind(index, Int64(self)) }
}

extension Bool: Bindable {
    func bind(to statement: Statement, at index: Int32) { statement.bind(index, self ? 1 : 0) }
}

extension String: Bindable {
    func bind(to statement: Statement, at index: Int32) { statement.bind(index, self) }
}

extension [UInt8]: Bindable {
    func bind(to statement: Statement, at index: Int32) { statement.bind(index, self) }
}

extension Optional: Bindable where Wrapped: Bindable {
    func bind(to statement: Statement, at index: Int32) {
        if let self { self.bind(to: statement, at: index) } else { statement.bindNull(index) }
    }
}

extension UserID: Bindable {
    func bind(to statement: Statement, at index: Int32) { statement.bind(index, self.rawValue) }
}

extension ConversationID: Bindable {
    func bind(to statement: Statement, at index: Int32) { statement.bind(index, self.rawValue) }
}

extension UserName: Bindable {
    func bind(to statement: Statement, at index: Int32) { statement.bind(index, self.text) }
}

extension ChannelName: Bindable {
    func bind(to statement: Statement, at index: Int32) { statement.bind(index, self.text) }
}

extension ObjectID: Bindable {
    func bind(to statement: Statement, at index: Int32) { statement.bind(index, self.text) }
}

extension DeviceClass: Bindable {
    func bind(to statement: Statement, at index: Int32) { statement.bind(index, self.name) }
}

extension Connection {
    /// Runs a statement that returns no rows.
    func run<each Value: Bindable>(_ sql: StaticString, _ values: repeat each Value) throws(StoreError) {
        let statement = try self.statement(sql)
        var index: Int32 = 1
        for value in repeat each values {
            value.bind(to: statement, at: index)
            index += 1
        }
        try statement.run()
    }

    /// Runs a query and reads its rows. `read` must not use the same statement again.
    func query<each Value: Bindable, Output>(
        _ sql: StaticString, _ values: repeat each Value, read: (Row) throws(StoreError) -> Output
    ) throws(StoreError) -> [Output] {
        let statement = try self.statement(sql)
        var index: Int32 = 1
        for value in repeat each values {
            value.bind(to: statement, at: index)
            index += 1
        }
        defer { statement.reset() }
        var rows: [Output] = []
        while try statement.step() { rows.append(try read(statement.row)) }
        return rows
    }

    /// Runs a query and reads its first row.
    func first<each Value: Bindable, Output>(
        _ sql: StaticString, _ values: repeat each Value, read: (Row) throws(StoreError) -> Output
    ) throws(StoreError) -> Output? {
        let statement = try self.statement(sql)
        var index: Int32 = 1
        for value in repeat each values {
            value.bind(to: statement, at: index)
            index += 1
        }
        defer { statement.reset() }
        return try statement.step() ? try read(statement.row) : nil
    }
}
