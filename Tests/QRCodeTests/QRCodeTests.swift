import Testing

@testable import QRCode

@Suite("QR codes")
struct QRCodeTests {
    /// Byte mode, level M, mask 3, as the Python package qrcode 8.2 makes it.
    private static let teahouse = """
        #######.#####.#######
        #.....#.#.#.#.#.....#
        #.###.#....#..#.###.#
        #.###.#.###.#.#.###.#
        #.###.#...#...#.###.#
        #.....#..#....#.....#
        #######.#.#.#.#######
        ........#............
        #.##.###.##...#..#.##
        ##..##.##.#.##.####.#
        ###.####..#.####...##
        ...#...##...##.#.#.#.
        ##..#.##...#...#...#.
        ........#....#.###.#.
        #######.###..#####...
        #.....#.#######..##..
        #.###.#..###..##.##..
        #.###.#.#.#..#.#..##.
        #.###.#.####.#....#..
        #.....#...###.###...#
        #######.#..##..#..#..
        """

    private static func picture(_ code: QRCode) -> String {
        (0..<code.size).map { row in
            String((0..<code.size).map { code.isDark(row: row, column: $0) ? Character("#") : "." })
        }.joined(separator: "\n")
    }

    @Test("a known text under a known mask is the known code")
    func known() throws {
        let code = try #require(QRCode("teahouse", mask: 3))
        #expect(Self.picture(code) == Self.teahouse)
    }

    /// Number of bytes, mask, modules of a side, and FNV-1a of the modules, one byte each: as the Python package qrcode 8.2
    /// makes them of a, b ... z, a, b ...
    static let vectors: [(Int, Int, Int, UInt64)] = [
        (14, 1, 21, 0xF4A4_763E_910A_8C2B), (15, 2, 25, 0xB7F6_46E2_1C09_778D),
        (62, 3, 33, 0xACFD_45FB_9566_E30C), (63, 4, 37, 0x206F_517D_E7B5_8543),
        (122, 5, 45, 0x3A0F_0AF7_8E11_D3EF), (152, 6, 49, 0x6258_D310_D2F4_00B3),
        (213, 7, 57, 0x1B8B_249A_154A_DFE7), (412, 0, 77, 0x8DB4_44B0_6353_B1B5),
        (413, 1, 81, 0x4A50_F30C_5CB0_A2FE), (997, 2, 117, 0x6130_8089_33BA_FBAD),
        (1_500, 3, 145, 0x5A90_12FD_8C48_8B74), (2_331, 4, 177, 0x9AE1_CFBF_63EB_88D1),
    ]

    @Test("codes of every size, with alignment and version patterns, are those of another encoder", arguments: vectors)
    func sizes(_ bytes: Int, _ mask: Int, _ size: Int, _ hash: UInt64) throws {
        let text = String((0..<bytes).map { Character(Unicode.Scalar(UInt8(97 + $0 % 26))) })
        let code = try #require(QRCode(text, mask: mask))
        var found: UInt64 = 0xCBF2_9CE4_8422_2325
        for row in 0..<code.size {
            for column in 0..<code.size {
                found = (found ^ (code.isDark(row: row, column: column) ? 1 : 0)) &* 0x100_0000_01B3
            }
        }
        #expect(code.size == size && found == hash)
    }

    @Test("a text of one byte more than the largest code holds has none")
    func bound() {
        #expect(QRCode.maximumBytes == 2_331)
        #expect(QRCode(String(repeating: "茶", count: 777)) != nil)
        #expect(QRCode(String(repeating: "茶", count: 778)) == nil)
    }

    @Test("of the eight masks the one with the least penalty is taken")
    func mask() throws {
        let text = "http://192.168.1.20:8080/join/AbCdEfGhIjKlMnOpQrStUv"
        let codes = try (0..<8).map { try #require(QRCode(text, mask: $0)) }
        let penalties = codes.map { code in
            let modules = (0..<code.size * code.size).map {
                code.isDark(row: $0 / code.size, column: $0 % code.size)
            }
            return QRPenalty(modules, size: code.size).total
        }
        let best = try #require(penalties.indices.min { penalties[$0] < penalties[$1] })
        #expect(QRCode(text) == codes[best])
        #expect(Set(penalties).count > 1)
    }

    @Test("the picture and the cells show each module once, inside the quiet zone")
    func shown() throws {
        let code = try #require(QRCode("teahouse"))
        let side = code.size + 2 * QRCode.quietZone
        #expect(code.svg.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 29 29\""))
        #expect(code.lines.count == (side + 1) / 2 && code.lines.allSatisfy { $0.count == side })
        var modules: Set<[Int]> = []
        for (number, line) in code.lines.enumerated() {
            for (column, cell) in line.enumerated() {
                if cell == "█" || cell == "▀" { modules.insert([number * 2, column]) }
                if cell == "█" || cell == "▄" { modules.insert([number * 2 + 1, column]) }
            }
        }
        for row in 0..<side {
            for column in 0..<side {
                let isDark = code.isDark(row: row - QRCode.quietZone, column: column - QRCode.quietZone)
                #expect(modules.contains([row, column]) == isDark)
            }
        }
    }
}
