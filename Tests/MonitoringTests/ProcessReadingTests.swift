import Testing

@testable import Monitoring

/// This process, as the kernel describes it.
struct ProcessReadingTests {
    @Test("a line of /proc/PID/stat is read, whatever the program is called")
    func line() {
        let fields = [
            "S", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "250", "50", "13", "14", "15", "16", "9", "18",
            "1000", "4096000", "100",
        ]
        var reading = ProcessReading()
        reading.take(
            "42 (a) b (c) " + fields.joined(separator: " ") + " 0 0\n", ticksPerSecond: 100, pageBytes: 4_096,
            bootSeconds: 1_000)
        #expect(reading.cpuSeconds == 3 && reading.threads == 9)
        #expect(reading.startSeconds == 1_010 && reading.virtualBytes == 4_096_000)
        #expect(reading.residentBytes == 409_600)
    }

    @Test("a line that is cut short gives zeros")
    func short() {
        var reading = ProcessReading()
        reading.take("42 (tea) S 1", ticksPerSecond: 100, pageBytes: 4_096, bootSeconds: 0)
        #expect(reading == ProcessReading())
        reading.take("", ticksPerSecond: 100, pageBytes: 4_096, bootSeconds: 0)
        #expect(reading == ProcessReading())
    }

    @Test("this process has memory, threads and descriptors")
    func own() throws {
        let reading = ProcessReading.now()
        #expect(reading.residentBytes > 0 && reading.threads > 0 && reading.startSeconds > 1_000_000_000)
        let descriptors = try #require(ProcessReading.descriptors())
        #expect(descriptors.open >= 0 && descriptors.maximum > 0)
    }
}
