import ByteCodec
import CZlib
import ChatModel
import Testing

@testable import APIGateway

@Suite("Pictures that apps show")
struct PictureTests {
    private static let form = "multipart/form-data; boundary=x"

    // MARK: Whose

    @Test("a picture is named by the path that apps know")
    func names() throws {
        let ann = PictureName.person(try #require(UserName("ann")))
        let tea = PictureName.group(try #require(ChannelName("tea")))
        #expect(PictureName(["v1", "users", "ann", "avatar"]) == ann && ann.seed == "ann")
        #expect(PictureName(["v1", "groups", "tea", "avatar"]) == tea && tea.seed == "tea")
        #expect(PictureName(["v1", "users", "a/b \u{8336}", "avatar"])?.seed == "a/b \u{8336}")
    }

    @Test(
        "a path of another shape, or with what is nobody's name, is none",
        arguments: [
            ["v1", "users", "ann"], ["v1", "users", "ann", "avatar", ""], ["v2", "users", "ann", "avatar"],
            ["v1", "robots", "ann", "avatar"], ["v1", "users", "", "avatar"], ["v1", "groups", "", "avatar"],
            ["v1", "users", "ann", "Avatar"], ["v1", "users", "a\u{7}", "avatar"],
            ["v1", "users", String(repeating: "x", count: 65), "avatar"],
            ["v1", "groups", String(repeating: "x", count: 129), "avatar"], [],
        ])
    func noName(_ segments: [String]) {
        #expect(PictureName(segments) == nil)
    }

    @Test("a picture is read with GET and HEAD, and set with a form")
    func routes() throws {
        let ann = PictureName.person(try #require(UserName("ann")))
        let odd = PictureName.group(try #require(ChannelName("a/b \u{8336}")))
        for method in ["GET", "HEAD"] {
            #expect(try FileRouteTests.find(method, "/v1/users/ann/avatar") == .picture(ann))
            #expect(try FileRouteTests.find(method, "/v1/groups/a%2Fb%20%E8%8C%B6/avatar") == .picture(odd))
        }
        #expect(try FileRouteTests.find("POST", "/v1/users/ann/avatar", type: Self.form) == .formPicture(ann))
        #expect(FileRouteTests.status("POST", "/v1/users/ann/avatar", type: "image/png") == 415)
        #expect(FileRouteTests.status("POST", "/v1/users/ann/avatar") == 415)
        for method in ["PUT", "DELETE", "PATCH", "TRACE"] {
            #expect(FileRouteTests.status(method, "/v1/users/ann/avatar") == 405, "\(method)")
        }
        #expect(FileRoute.formPicture(ann).isStreamed && !FileRoute.picture(ann).isStreamed)
        #expect(!FileRoute.formPicture(ann).isTus)
    }

    @Test(
        "what only looks like a picture's path belongs to another door",
        arguments: [
            "/avatar", "/v1/avatar", "/v1/users/avatar", "/v1/users//avatar", "/v1/users/a/b/avatar",
            "/v1/users/%zz/avatar", "/v1/users/%0D%0A/avatar", "/v1/users/ann/avatar/", "/api/v1/avatars/ann",
            "/v1/users/ann/xavatar",
        ])
    func otherDoors(_ path: String) throws {
        #expect(try FileRouteTests.find("GET", path) == nil)
        #expect(try FileRouteTests.find("POST", path, type: Self.form) == nil)
    }

    @Test("a picture's upload is one of the class of pictures")
    func order() throws {
        let ann = PictureName.person(try #require(UserName("ann")))
        let order = try #require(try FileRouteTests.order(.formPicture(ann)) { $0.contentType = Self.form })
        #expect(order.picture == ann && order.kind == .form(contentType: Self.form) && !order.canGoOn)
        let draft = order.draft(by: .link, owner: UserID(rawValue: 7), provider: "objects")
        #expect(draft.transferClass == .avatar)
    }

    // MARK: For who has none

    private struct Chunk: Equatable {
        var name: String
        var data: [UInt8]
    }

    private struct NotPNG: Error {}

    /// Takes a PNG apart: signature, then chunks of length, name, data and CRC-32 of the two. Source: PNG specification,
    /// sections 5.2 and 5.3.
    private func chunks(_ png: [UInt8]) throws -> [Chunk] {
        guard png.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) else { throw NotPNG() }
        var (chunks, rest) = ([Chunk](), png.dropFirst(8))
        func number(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }
        while !rest.isEmpty {
            guard rest.count >= 12 else { throw NotPNG() }
            let length = Int(number(rest.prefix(4)))
            guard rest.count >= 12 + length else { throw NotPNG() }
            let body = rest.dropFirst(4).prefix(4 + length)
            let written = number(rest.dropFirst(8 + length).prefix(4))
            let counted = body.withUnsafeBufferPointer { crc32(0, $0.baseAddress, UInt32($0.count)) }
            #expect(UInt32(counted) == written)
            chunks.append(
                Chunk(name: String(decoding: body.prefix(4), as: UTF8.self), data: Array(body.dropFirst(4))))
            rest = rest.dropFirst(12 + length)
        }
        return chunks
    }

    @Test(
        "the plain picture is a PNG that decodes: chunks, checksums, size, palette and points",
        arguments: ["ann", "", "\u{8336}"])
    func decodes(_ seed: String) throws {
        let chunks = try self.chunks(PlainPicture.png(seed))
        #expect(chunks.map(\.name) == ["IHDR", "PLTE", "IDAT", "IEND"])
        // 96 x 96, one bit for a point, with a palette; deflate, no filters but the usual, not interlaced.
        #expect(chunks[0].data == [0, 0, 0, 96, 0, 0, 0, 96, 1, 3, 0, 0, 0])
        #expect(chunks[1].data.count == 6 && chunks[1].data.suffix(3) == [255, 255, 255])
        #expect(chunks[1].data.prefix(3).allSatisfy { (64...191).contains($0) })
        #expect(chunks[3].data.isEmpty)
        // zlib itself opens it, and checks Adler-32.
        var lines = [UInt8](repeating: 0xAA, count: 4096)
        var count = UInt(lines.count)
        #expect(uncompress(&lines, &count, chunks[2].data, UInt(chunks[2].data.count)) == Z_OK)
        try #require(count == 96 * 13)
        let rows = stride(from: 0, to: 96 * 13, by: 13).map { Array(lines[$0..<($0 + 13)]) }
        #expect(rows.allSatisfy { $0[0] == 0 })
        func isWhite(_ x: Int, _ y: Int) -> Bool { rows[y][1 + x / 8] >> (7 - UInt8(x % 8)) & 1 == 1 }
        // A head, a neck that is not there, shoulders, and the colour around them.
        #expect(isWhite(48, 38) && isWhite(48, 95) && isWhite(20, 95))
        #expect(!isWhite(0, 0) && !isWhite(95, 0) && !isWhite(48, 10) && !isWhite(2, 95) && !isWhite(48, 57))
        // The same on both sides of the middle.
        for y in 0..<96 { for x in 1..<48 { #expect(isWhite(48 - x, y) == isWhite(48 + x, y)) } }
    }

    @Test("the colour is the same for the same name, and another for most others")
    func colours() {
        #expect(PlainPicture.png("ann") == PlainPicture.png("ann"))
        #expect(Set((0..<100).map { PlainPicture.png("person\($0)") }).count > 90)
    }
}
