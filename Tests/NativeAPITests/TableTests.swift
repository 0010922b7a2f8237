import APIKit
import ByteCodec
import Localization
import Testing

@testable import NativeAPI

@Suite("The table of native routes")
struct TableTests {
    /// First segments of the paths that WuKongIM's open web client asks for below `/api/v1`.
    private static let foreign: Set<String> = [
        "user", "users", "groups", "conversation", "message", "channel", "friend", "file", "common", "robot",
        "reaction",
        "search",
    ]
    /// First segments of our own that other gateways serve.
    private static let served: Set<String> = [
        "files", "uploads", "transfers", "profiles", "avatars", "teams", "requests", "session-config",
        "setup", "events",
    ]

    private static func first(_ route: NativeRoute) -> String {
        route.pattern.split(separator: "/").first.map(String.init) ?? ""
    }

    @Test("no route begins as one of the open web client's, but search, which is told by its credential")
    func apart() {
        let own = Set(NativeServer.table.map(Self.first)).union(Self.served)
        #expect(own.intersection(Self.foreign).subtracting(["search"]).isEmpty)
        let shared = NativeServer.table.filter { Self.foreign.contains(Self.first($0)) }
        #expect(shared.allSatisfy { if case .person = $0.access { true } else { false } })
    }

    @Test("each operation has a name of its own, each place of a pattern a field, and no two values one name")
    func names() {
        #expect(Set(NativeServer.table.map(\.name)).count == NativeServer.table.count)
        #expect(Set(NativeServer.table.map { "\($0.method) \($0.pattern)" }).count == NativeServer.table.count)
        for route in NativeServer.table {
            let places = route.pattern.split(separator: "/").filter { $0.hasPrefix("{") }
                .map { String($0.dropFirst().dropLast()) }
            #expect(places == route.path.map(\.name), "\(route.name)")
            for form in route.forms.isEmpty ? [route.body] : route.forms {
                let names = (route.path + route.query + form).map(\.name)
                #expect(Set(names).count == names.count, "\(route.name)")
            }
        }
    }

    @Test("the description names every route and every problem, and refers to nothing that is not there")
    func description() throws {
        let document = try JSONValue(parsing: OpenAPI(NativeServer.table, version: "1").document)
        #expect(document["openapi"]?.string == "3.1.0")
        for route in NativeServer.table {
            let operation = document["paths"]?[route.pattern]?[route.method.lowercased()]
            #expect(operation?["operationId"]?.string == route.name)
            #expect(operation?["responses"]?[String(route.answer.status)] != nil)
            for code in route.problems {
                let told = operation?["responses"]?[String(route.status(of: code))]?["description"]?.string ?? ""
                #expect(told.contains(code.rawValue), "\(route.name) \(code)")
            }
        }
        let known = Set((document["components"]?["schemas"]?.object ?? []).map(\.name))
        var missing: Set<String> = []
        Self.walk(document) { reference in
            let name = reference.split(separator: "/").last.map(String.init) ?? ""
            if !known.contains(name) { missing.insert(name) }
        }
        #expect(missing.isEmpty)
    }

    private static func walk(_ value: JSONValue, _ found: (String) -> Void) {
        if let reference = value["$ref"]?.string { found(reference) }
        for member in value.object ?? [] { Self.walk(member.value, found) }
        for entry in value.array ?? [] { Self.walk(entry, found) }
    }

    @Test("every problem has a sentence in each language", arguments: ProblemCode.allCases)
    func sentences(_ code: ProblemCode) {
        for language in Language.allCases { #expect(Texts(embedded: language).has("problem.\(code.rawValue)")) }
        #expect((400...599).contains(code.status))
    }

    @Test(
        "the language is the one with the most weight that has texts",
        arguments: [
            ("zh-CN,zh;q=0.9,en;q=0.8", Language.chinese), ("en-GB", .english), ("fr, zh;q=0.5", .chinese),
            ("", .english),
            ("en;q=0.3, zh-Hans;q=0.7", .chinese), ("zh;q=0", .english),
        ])
    func language(_ field: String, _ expected: Language) {
        #expect(Language(accepted: field) == expected)
    }
}

@Suite("Shapes")
struct ShapeTests {
    private static let shape = Shape.object([
        .required("name", .text(1...4, .plain)), .optional("count", .integer(1...3)),
        .optional("kinds", .list(.choice(["a", "b"]), 1...2)),
        .optional("mentions", .either([.choice(["all"]), .list(.text(1...64), 0...3)])),
    ])

    @Test(
        "takes what is inside the bounds",
        arguments: [
            #"{"name":"罗密欧"}"#, #"{"name":"a","count":3,"kinds":["a","b"]}"#, #"{"name":"a","mentions":"all"}"#,
            #"{"name":"😀😀😀😀","mentions":["茱丽叶"]}"#,
        ])
    func takes(_ text: String) throws {
        try Self.shape.check(try JSONValue(parsing: text), at: "body")
    }

    @Test(
        "refuses what is not, and names the field",
        arguments: [
            (#"{}"#, ProblemCode.missingField, "body.name"), (#"{"name":""}"#, .invalidField, "body.name"),
            (#"{"name":"罗密欧与朱"}"#, .invalidField, "body.name"), (#"{"name":"a\u0007"}"#, .invalidField, "body.name"),
            (#"{"name":1}"#, .invalidField, "body.name"), (#"{"name":"a","count":4}"#, .invalidField, "body.count"),
            (#"{"name":"a","count":1.5}"#, .invalidField, "body.count"),
            (#"{"name":"a","kinds":["c"]}"#, .invalidField, "body.kinds[0]"),
            (#"{"name":"a","kinds":[]}"#, .invalidField, "body.kinds"),
            (#"{"name":"a","mentions":"some"}"#, .invalidField, "body.mentions"),
            (#"{"name":"a","colour":"red"}"#, .unknownField, "body.colour"),
            (#"{"name":null}"#, .invalidField, "body.name"), (#"[]"#, .invalidField, "body"),
        ])
    func refuses(_ text: String, _ code: ProblemCode, _ field: String) throws {
        let value = try JSONValue(parsing: text)
        #expect {
            try Self.shape.check(value, at: "body")
        } throws: { error in
            (error as? Problem)?.code == code && (error as? Problem)?.field == field
        }
    }

    @Test("reads values of a path or a query by their shape")
    func texts() {
        #expect(Shape.integer(0...9).value(ofText: "7") == .integer(7))
        #expect(Shape.integer(0...9).value(ofText: "seven") == nil)
        #expect(Shape.flag.value(ofText: "true") == .boolean(true))
        #expect(Shape.flag.value(ofText: "1") == nil)
        #expect(Shape.list(.text(1...9), 1...3).value(ofText: "a,b") == .array([.string("a"), .string("b")]))
    }
}
