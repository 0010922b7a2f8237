import APIKit
import ByteCodec
import ChatModel
import Store

/// Kinds of messages that apps define, and how a client draws them.
enum KindRoutes {
    private static let path = Shape.text(1...KindRenderer.maximumScalars)

    static let routes: [NativeRoute] = [
        NativeRoute(
            "GET", "/kinds", "kinds", "Kinds of messages that apps define and that are registered, by number.",
            answer: .ok(
                .object([.required("items", .list(.reference("Kind"), 0...MessageKindEntry.maximumKinds))])),
            Self.list)
    ]

    /// Shape of the value `Kind`.
    static let shape = Shape.object([
        .required("kind", .count, "As in the member custom of a message."), .required("name", .anyText),
        .optional(
            "renderer",
            .object([
                .optional("title", Self.path), .optional("picture", Self.path), .optional("link", Self.path),
                .optional(
                    "fields",
                    .list(
                        .object([.required("label", Self.path), .required("path", Self.path)]),
                        0...KindRenderer.maximumFields)),
            ]), "Paths into the attributes of a message: names with dots between them."),
        .required("degrade", .anyText, "Shown where a message cannot be drawn."),
    ])

    @Sendable private static func list(_ call: NativeCall) throws(Problem) {
        call.read { store throws(StoreError) in
            try store.moderation.messageKinds()
        } answer: { kinds in
            .native { writer in
                writer.beginObject()
                writer.key("items")
                writer.beginArray()
                for kind in kinds { Self.write(kind, to: &writer) }
                writer.endArray()
                writer.endObject()
            }
        }
    }

    private static func write(_ kind: MessageKindEntry, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.number("kind", Int64(kind.kind.rawValue))
        writer.text("name", kind.name)
        // Messages of a disabled kind are shown by their text alone.
        if !kind.isDisabled, !kind.renderer.isEmpty, let renderer = try? JSONValue(parsing: kind.renderer) {
            writer.key("renderer")
            renderer.write(to: &writer)
        }
        writer.text("degrade", kind.degrade)
        writer.endObject()
    }
}
