import ChatModel
import MessageLog

/// A layer of the tail on its way into rows, a slice at a time, conversation by conversation.
///
/// Between two slices messages are decided on top of rows that are half written: heads of conversations and numbers of own
/// messages, which pins are counted from, are therefore written with the last slice, all of them together.
struct LayerApplication {
    let layer: LogLayer
    private let runs: [LogRun]
    /// The run that is being written, and how many of its records are.
    private var run = 0
    private var written = 0
    /// Positions that are written of it, once its messages are.
    private var positions: [LogEntry] = []

    init(_ layer: LogLayer) {
        self.layer = layer
        self.runs = layer.sortedRuns
    }

    /// Most that one slice writes.
    struct Slice {
        /// Records beside heads.
        var records: Int
        /// Bytes of bodies after which it ends.
        var bytes: Int

        static let everything = Slice(records: .max, bytes: .max)
    }

    /// Writes the next records.
    ///
    /// - Parameter nextChange: gives a change number that nothing else has.
    /// - Returns: whether all of the layer is written.
    /// - Throws: `fatal` also for what a statement refuses: it was acknowledged.
    mutating func write(
        _ slice: Slice, _ rows: MessageRows, nextChange: () -> Int64
    ) throws(StoreError) -> Bool {
        do throws(StoreError) {
            guard try self.writeRecords(slice, rows, nextChange) else { return false }
            for run in self.runs { try rows.finish(run, nextChange) }
            return true
        } catch {
            guard error.reach == .request else { throw error }
            throw .fatal("what was acknowledged cannot be written to the database: \(error)")
        }
    }

    private mutating func writeRecords(
        _ slice: Slice, _ rows: MessageRows, _ nextChange: () -> Int64
    ) throws(StoreError) -> Bool {
        var left = slice
        while self.run < self.runs.count {
            let run = self.runs[self.run]
            while self.written < run.messages.count {
                guard left.records > 0, left.bytes > 0 else { return false }
                try rows.insert(run.messages[self.written].content, nextChange: nextChange)
                left.records -= 1
                left.bytes -= run.messages[self.written].content.body.count
                self.written += 1
            }
            if self.written == run.messages.count { self.positions = run.lastPositions }
            while self.written < run.messages.count + self.positions.count {
                guard left.records > 0 else { return false }
                try rows.write(self.positions[self.written - run.messages.count], nextChange)
                left.records -= 1
                self.written += 1
            }
            self.run += 1
            self.written = 0
        }
        return true
    }
}
