import Execution
import Glibc

/// Most seconds that a test waits for something that must come to pass.
package let testPatienceSeconds = 60.0

/// Waits for something that only looking again and again can see.
///
/// - Throws: when it has not come to pass in `testPatienceSeconds`, with the place that waited.
package func waitUntil(
    file: StaticString = #fileID, line: UInt = #line, _ holds: () throws -> Bool
) throws {
    let clock = Clock.system
    let end = clock.now().advanced(bySeconds: testPatienceSeconds)
    while try !holds() {
        guard clock.now() < end else {
            throw TestClientError(description: "\(file):\(line) waited \(testPatienceSeconds) s in vain")
        }
        sched_yield()
    }
}
