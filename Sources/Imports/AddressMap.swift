import ChatModel
import LeanCloudImport
import Store

/// Addresses of imported files, for the texts of one transaction. Confined to its thread.
final class AddressMap {
    private let imports: ImportReads
    private var failure: StoreError?

    init(_ transaction: ReadTransaction) { self.imports = transaction.imports }

    /// Text with the addresses here.
    func rewritten(_ text: String) -> String {
        self.changed(Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) } ?? text
    }

    /// A row with the addresses here.
    func rewritten(_ line: [UInt8]) -> [UInt8] { self.changed(line) ?? line }

    private func changed(_ text: [UInt8]) -> [UInt8]? { AddressRewriting.rewrite(text) { self.address($0) } }

    private func address(_ text: String) -> String? {
        guard self.failure == nil, let former = FormerAddress(text) else { return nil }
        do throws(StoreError) {
            return try self.imports.address(before: former)
        } catch {
            self.failure = error
            return nil
        }
    }

    /// - Throws: what looking an address up has thrown.
    func check() throws(StoreError) { if let failure { throw failure } }
}
