import ChatModel
import Execution
import FileStore
import TeahouseTesting
import Testing

@testable import Transfers

/// A disk that refuses one step of an upload, and is well again.
struct SickDiskTests {
    /// Refuses every step of a kind while it is told to.
    private final class Illness: Sendable {
        private let step = Lock<FileStoreStep?>(nil)

        func refuse(_ step: FileStoreStep?) { self.step.withLock { $0 = step } }

        func provider(_ folder: TemporaryFolder) throws -> any FileProvider {
            let faults = FileStoreFaults { [self] step throws(FileStoreError) in
                guard self.step.withLock({ $0 }) == step else { return }
                throw .full
            }
            return try ObjectFolder("\(folder.path)/data/files", faults: faults)
        }
    }

    @Test(
        "an upload is never told to be further than what is kept, whichever step is refused, and comes to its end",
        arguments: [
            FileStoreStep.writePiece, .syncPart, .writeState, .nameState, .finishPart, .writeIndex, .makeFolders,
            .nameIndex, .nameObject, .syncFolders,
        ])
    func refusedStep(_ step: FileStoreStep) async throws {
        let illness = Illness()
        let depot = try Depot(makeProviders: { [try illness.provider($0)] })
        let bytes = text(600_000)
        let key = try await depot.create(600_000)
        let first = try await depot.open(key)
        await Sender(first).send(Array(bytes[..<300_000]))
        _ = try await depot.end(first)

        // The steps before the end belong to a part that is to be kept, the others to the last one.
        let end = [.writePiece, .syncPart, .writeState, .nameState].contains(step) ? 550_000 : 600_000
        illness.refuse(step)
        let flow = try await depot.open(key, at: 300_000)
        await Sender(flow).send(Array(bytes[300_000..<end]))
        #expect(await depot.refusal { _ = try await depot.end(flow) } == .full)
        // Asking finishes what is all there, which is refused again.
        let told = try? await depot.find(key).record.offset
        #expect(told ?? 300_000 == 300_000)
        illness.refuse(nil)

        let offset = try await depot.find(key).record.offset
        let last = try await depot.open(key, at: offset)
        await Sender(last).send(Array(bytes[Int(offset)...]))
        #expect(try await depot.download(try #require(try await depot.end(last).file)) == bytes)
    }

    @Test("a disk that refuses to keep what came on a slow connection ends the flow with the reason")
    func refusedMeanwhile() async throws {
        let illness = Illness()
        let depot = try Depot(makeProviders: { [try illness.provider($0)] })
        let bytes = noise(600_000)
        let key = try await depot.create(600_000)
        let flow = try await depot.open(key)
        await Sender(flow).send(Array(bytes[..<200_000]))
        try await depot.until { try await depot.find(key).record.offset == 200_000 }
        illness.refuse(.writeState)
        await depot.turn(milliseconds: 3_000)
        #expect(await depot.refusal { _ = try await depot.end(flow) } == .full)
        illness.refuse(nil)
        #expect(try await depot.find(key).record.offset == 0)
        let again = try await depot.open(key, at: 0)
        await Sender(again).send(bytes)
        #expect(try await depot.download(try #require(try await depot.end(again).file)) == bytes)
    }
}
