import ChatModel
import Execution
import LeanCloudPull
package import Store
package import Transfers

/// Brings contents from files of this machine into those of a server that does not run: as uploads of the operator, with
/// their bounds. Blocks.
package struct ContentImport: Sendable {
    private let transfers: Transfers

    /// - Parameter transfers: of the same store.
    package init(_ transfers: Transfers) { self.transfers = transfers }

    /// Brings one content. Nothing refers to it yet: it is kept for as long as a file that was just uploaded.
    ///
    /// - Throws: `full`, and what ends an import.
    package func bring(_ content: ImportContent) throws(StoreError) -> ImportedContent {
        let draft = UploadDraft(
            actor: .operator, owner: .system, name: content.name, mediaType: content.mediaType, size: content.bytes,
            metadata: nil, transferClass: .operator, provider: self.transfers.receivingProvider,
            key: TransferKey(random: Self.random()), file: FileKey(random: Self.random()))
        do throws(TransferError) {
            _ = try Self.wait { self.transfers.createUpload(draft, then: $0) }
            do throws(TransferError) {
                let flow = try Self.wait { self.transfers.openUpload(draft.key, at: 0, by: .operator, then: $0) }
                try self.push(content, into: flow)
                _ = try Self.wait { flow.end(then: $0) }
            } catch {
                _ = try? Self.wait { self.transfers.cancel(draft.key, by: .operator, then: $0) }
                throw error
            }
            return .brought(draft.file)
        } catch {
            return try Self.outcome(of: error)
        }
    }

    private func push(_ content: ImportContent, into flow: UploadFlow) throws(TransferError) {
        // Counts how often there was room again, so that a call that comes early is not missed.
        let room = ConditionLock(0)
        flow.setWhenRoom { room.change { $0 += 1 } }
        var waits = 0
        let pieces = try Self.reading(content) { () throws(PullError) in try InputFile(content.path) }
        while let piece = try Self.reading(content, { () throws(PullError) in try pieces?.read() }), !piece.isEmpty {
            let hasRoom = flow.push(Array(piece))
            if let failure = flow.failure { throw failure }
            guard !hasRoom else { continue }
            waits += 1
            let due = waits
            room.wait(until: { $0 >= due }, then: { _ in })
            if let failure = flow.failure { throw failure }
        }
    }

    private static func reading<Value>(
        _ content: ImportContent, _ body: () throws(PullError) -> Value
    ) throws(TransferError) -> Value {
        do throws(PullError) { return try body() } catch { throw .failed("\(error)") }
    }

    /// Outcome of a failure: of this content alone, or of the import.
    private static func outcome(of error: TransferError) throws(StoreError) -> ImportedContent {
        switch error {
        case .tooLong, .refused(.refused): return .refused(error.description)
        case .refused(let error): throw error
        case .full: throw .full
        case .busy, .overloaded: throw .busy
        case .stopping: throw .unavailable
        case .notFound, .wrongOffset, .wrongChecksum, .cancelled, .over, .damaged, .failed:
            throw .fatal(error.description)
        }
    }

    private static func wait<Value: Sendable>(
        _ body: (@escaping @Sendable (Result<Value, TransferError>) -> Void) -> Void
    ) throws(TransferError) -> Value {
        let answer = ConditionLock<Result<Value, TransferError>?>(nil)
        body { result in answer.change { $0 = result } }
        return try answer.wait(until: { $0 != nil }, then: { $0 ?? .failure(.stopping) }).get()
    }

    private static func random() -> [UInt8] { (0..<26).map { _ in UInt8.random(in: 0...255) } }
}
