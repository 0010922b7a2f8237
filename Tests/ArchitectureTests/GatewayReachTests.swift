import Foundation
import Testing

/// Holds that sessions and connections ask their gateway for what they need, and do not go through it: whoever says
/// `gateway.services.settings.bytes` knows how it is built, and cannot be run without it.
struct GatewayReachTests {
    /// Names that a chain may have after `gateway`: a thing of the gateway, and what is asked of it.
    static let longest = 2

    /// True for a line of code that goes through a gateway.
    static func reaches(_ line: Substring) -> Bool {
        guard !line.hasPrefix("//") else { return false }
        return line.matches(of: /(?:^|[^A-Za-z])gateway\??((?:\.[A-Za-z]+)+)/).contains { match in
            match.output.1.split(separator: ".").count > Self.longest
        }
    }

    @Test("nothing goes through a gateway to what lies three steps behind it")
    func chains() throws {
        var found: [String] = []
        for folder in try WordTests.folders() where folder.hasPrefix("Sources/") {
            for file in try WordTests.files(in: folder) {
                for (number, line) in try WordTests.lines(of: file).enumerated() where Self.reaches(line) {
                    found.append("\(file):\(number + 1): \(line)")
                }
            }
        }
        #expect(found.isEmpty, "\(found.prefix(5))")
    }

    @Test("the reader of chains sees what it should")
    func readerWorks() {
        #expect(Self.reaches("let now = self.gateway.reactor.clock.now()"))
        #expect(Self.reaches("if gateway.services.settings.bytes > 0 {"))
        #expect(!Self.reaches("self.gateway.frames.end()"))
        #expect(!Self.reaches("// self.gateway.reactor.clock.now()"))
        #expect(!Self.reaches("reactor.gateway(FilesGateway.self)?.exchange(ticket)"))
    }
}
