import ChatModel
import SQLite

// Stored numbers and names as the types of the model. A value outside of them means a damaged database.
extension Row {
    func userID(_ column: Int32) -> UserID { UserID(rawValue: self.int64(column)) }

    func conversationID(_ column: Int32) -> ConversationID { ConversationID(rawValue: self.int64(column)) }

    func userName(_ column: Int32) throws(StoreError) -> UserName {
        guard let name = UserName(self.text(column)) else { throw Self.damaged("user name") }
        return name
    }

    func conversationKind(_ column: Int32) throws(StoreError) -> ConversationKind {
        guard let kind = ConversationKind(rawValue: self.int64(column)) else { throw Self.damaged("conversation kind") }
        return kind
    }

    func objectID(_ column: Int32) throws(StoreError) -> ObjectID {
        guard let id = ObjectID(self.text(column)) else { throw Self.damaged("object id") }
        return id
    }

    func memberRole(_ column: Int32) throws(StoreError) -> MemberRole {
        guard let role = MemberRole(rawValue: self.int64(column)) else { throw Self.damaged("member role") }
        return role
    }

    func userRole(_ column: Int32) throws(StoreError) -> UserRole {
        guard let role = UserRole(rawValue: self.int64(column)) else { throw Self.damaged("user role") }
        return role
    }

    func deviceClass(_ column: Int32) throws(StoreError) -> DeviceClass {
        guard let name = DeviceClass(self.text(column)) else { throw Self.damaged("device class") }
        return name
    }

    static func damaged(_ what: String) -> StoreError {
        .fatal("the database holds a \(what) that no teahouse writes: run teahouse verify, restore the last backup")
    }
}

extension UserID: Bindable {
    func bind(to statement: SQLite.Statement, at index: Int32) { statement.bind(index, self.rawValue) }
}

extension ConversationID: Bindable {
    func bind(to statement: SQLite.Statement, at index: Int32) { statement.bind(index, self.rawValue) }
}

extension UserName: Bindable {
    func bind(to statement: SQLite.Statement, at index: Int32) { statement.bind(index, self.text) }
}

extension ChannelName: Bindable {
    func bind(to statement: SQLite.Statement, at index: Int32) { statement.bind(index, self.text) }
}

extension ObjectID: Bindable {
    func bind(to statement: SQLite.Statement, at index: Int32) { statement.bind(index, self.text) }
}

extension DeviceClass: Bindable {
    func bind(to statement: SQLite.Statement, at index: Int32) { statement.bind(index, self.name) }
}
