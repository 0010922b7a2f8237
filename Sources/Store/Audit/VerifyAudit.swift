import ChatModel

// What operators did.
extension Verifier {
    func checkAudit() throws(StoreError) {
        for problem in try self.connection.checkAudit().problems { self.notes.add(.audit, problem) }
    }
}
