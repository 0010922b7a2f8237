import Foundation
import Testing

/// Holds the calls of `Store.read` at the gateways: each says who asks, so that nobody's reads wait behind another's.
struct ReadAskerTests {
    static let modules = [
        "APIKit", "APIGateway", "NativeAPI", "WuKongAPI", "WuKongGateway", "LeanCloudAPI", "LeanCloudGateway",
        "Accounts",
        "Profiles",
        "AdminService", "Monitoring",
    ]

    @Test("a door that reads names the lane of sign-ins or who asks", arguments: modules)
    func named(module: String) throws {
        let folder = ImportTableTests.root.appending(path: "Sources/\(module)")
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where path.hasSuffix(".swift") {
            let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
            for part in text.components(separatedBy: "tore.read").dropFirst() {
                guard let next = part.first, next == "(" || next == " " else { continue }
                let start = part.drop { $0 == "(" || $0.isWhitespace }
                #expect(
                    start.hasPrefix("as: ") || start.hasPrefix("for: "),
                    "Sources/\(module)/\(path) reads for nobody: tore.read\(part.prefix(60))")
            }
        }
    }
}
