import APIKit
import ByteCodec

/// The description of the native API, OpenAPI 3.1, made from the routes that serve it.
///
/// Source: OpenAPI Specification 3.1.0; JSON Schema 2020-12.
package struct OpenAPI: Sendable {
    private let routes: [NativeRoute]
    private let version: String

    /// Reasons that every route has: they come before a handler is asked.
    private static let common: [ProblemCode] = [
        .invalidRequest, .unknownField, .missingField, .invalidField, .tooManyRequests, .failed, .busy,
    ]
    /// Reasons of every route that a person has to be signed in for.
    private static let signedIn: [ProblemCode] = [.signedOut, .refused, .accountDisabled]

    package init(_ routes: [NativeRoute], version: String) {
        self.routes = routes
        self.version = version
    }

    /// The document as JSON.
    package var document: [UInt8] {
        var writer = JSONWriter(capacity: 64 * 1024)
        writer.beginObject()
        writer.text("openapi", "3.1.0")
        writer.key("info")
        writer.beginObject()
        writer.text("title", "teahouse")
        writer.text("version", self.version)
        writer.text("description", "Chat on a local network: people, conversations and messages.")
        writer.endObject()
        writer.key("servers")
        writer.beginArray()
        writer.beginObject()
        writer.text("url", APIPaths.prefix)
        writer.endObject()
        writer.endArray()
        writer.key("paths")
        writer.beginObject()
        for pattern in self.patterns { self.writePath(pattern, to: &writer) }
        writer.endObject()
        Self.writeComponents(to: &writer)
        writer.endObject()
        return writer.bytes
    }

    /// Each once, in the order of the table.
    private var patterns: [String] {
        var seen: Set<String> = []
        return self.routes.map(\.pattern).filter { seen.insert($0).inserted }
    }

    private func writePath(_ pattern: String, to writer: inout JSONWriter) {
        writer.key(pattern)
        writer.beginObject()
        for route in self.routes where route.pattern == pattern {
            writer.key(route.method.lowercased())
            Self.write(route, to: &writer)
        }
        writer.endObject()
    }

    private static func write(_ route: NativeRoute, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.text("operationId", route.name)
        writer.text("summary", route.summary)
        writer.key("security")
        writer.beginArray()
        if case .person = route.access {
            writer.beginObject()
            writer.key("token")
            writer.beginArray()
            writer.endArray()
            writer.endObject()
        }
        writer.endArray()
        self.writeParameters(of: route, to: &writer)
        self.writeBody(of: route, to: &writer)
        writer.key("responses")
        writer.beginObject()
        self.writeAnswer(route.answer, to: &writer)
        self.writeProblems(of: route, to: &writer)
        writer.endObject()
        writer.endObject()
    }

    private static func writeParameters(of route: NativeRoute, to writer: inout JSONWriter) {
        guard !route.path.isEmpty || !route.query.isEmpty else { return }
        writer.key("parameters")
        writer.beginArray()
        for field in route.path { self.write(field, in: "path", to: &writer) }
        for field in route.query { self.write(field, in: "query", to: &writer) }
        writer.endArray()
    }

    private static func write(_ field: Field, in place: String, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.text("name", field.name)
        writer.text("in", place)
        writer.flag("required", field.isRequired || place == "path")
        writer.text("description", field.about)
        if case .list = field.shape {
            // With commas between them.
            writer.text("style", "form")
            writer.flag("explode", false)
        }
        writer.key("schema")
        field.shape.write(to: &writer)
        writer.endObject()
    }

    private static func writeBody(of route: NativeRoute, to writer: inout JSONWriter) {
        guard let shape = route.bodyShape else { return }
        writer.key("requestBody")
        writer.beginObject()
        writer.flag("required", route.needsBody)
        self.writeContent("application/json", shape, to: &writer)
        writer.endObject()
    }

    private static func writeContent(_ type: String, _ shape: Shape, to writer: inout JSONWriter) {
        writer.key("content")
        writer.beginObject()
        writer.key(type)
        writer.beginObject()
        writer.key("schema")
        shape.write(to: &writer)
        writer.endObject()
        writer.endObject()
    }

    private static func writeAnswer(_ answer: NativeRoute.Answer, to writer: inout JSONWriter) {
        writer.key(String(answer.status))
        writer.beginObject()
        writer.text("description", "Done.")
        if answer.isSnapshot {
            writer.key("headers")
            writer.beginObject()
            writer.key("Teahouse-Cursor")
            writer.beginObject()
            writer.text("description", "Position of the feed of events at which the answer was true.")
            writer.key("schema")
            Shape.anyText.write(to: &writer)
            writer.endObject()
            writer.endObject()
        }
        if let shape = answer.shape { self.writeContent(answer.mediaType, shape, to: &writer) }
        writer.endObject()
    }

    private static func writeProblems(of route: NativeRoute, to writer: inout JSONWriter) {
        var codes = self.common + route.problems
        if case .person = route.access { codes += self.signedIn }
        if route.bodyShape != nil { codes += [.tooLarge] }
        if route.method != "GET" { codes += [.full] }
        var byStatus: [Int: [String]] = [:]
        for code in codes {
            let status = route.status(of: code)
            if byStatus[status]?.contains(code.rawValue) != true { byStatus[status, default: []].append(code.rawValue) }
        }
        for (status, names) in byStatus.sorted(by: { $0.key < $1.key }) {
            writer.key(String(status))
            writer.beginObject()
            writer.text("description", names.joined(separator: ", "))
            self.writeContent("application/problem+json", .reference("Problem"), to: &writer)
            writer.endObject()
        }
    }

    private static func writeComponents(to writer: inout JSONWriter) {
        writer.key("components")
        writer.beginObject()
        writer.key("securitySchemes")
        writer.beginObject()
        writer.key("token")
        writer.beginObject()
        writer.text("type", "http")
        writer.text("scheme", "bearer")
        writer.text("description", "Token of a device, as POST /sessions gives it.")
        writer.endObject()
        writer.endObject()
        writer.key("schemas")
        writer.beginObject()
        for (name, shape) in NativeSchemas.all {
            writer.key(name)
            shape.write(to: &writer)
        }
        writer.endObject()
        writer.endObject()
    }
}
