import APIKit
import ByteCodec
import Execution

/// One object that a batch saves: a request, and what the SDK calls the object until it has an id.
struct SavePart: Sendable {
    /// An object that another one names, and that is saved before it in the same batch.
    struct Child: Sendable {
        let internalID: String
        let className: String
        /// The field of the object that names it.
        let field: String
    }

    /// Key by which the SDK finds the answer: the object id, or a name of its own for an object that has none yet.
    let internalID: String
    let children: [Child]
    private(set) var request: APIRequest

    /// Members of the body that are for the batch and no fields.
    private static let (internalName, childrenName) = ("__internalId", "__children")

    init(_ fields: APIFields, _ whole: APIRequest) throws(APIFailure) {
        self.request = try BatchRoutes.Part(fields, whole).request
        let body = APIFields(self.request.body)
        self.internalID = try body.optionalText(Self.internalName) ?? ""
        self.children = try body.objects(Self.childrenName, most: 100).map { row throws(APIFailure) in
            Child(
                internalID: try row.text("cid"), className: try row.text("className"), field: try row.text("key"))
        }
        guard self.request.body.object != nil else { return }
        self.request.body = .object(body.members { ![Self.internalName, Self.childrenName].contains($0) })
    }

    /// The request with pointers to what was saved before.
    func naming(_ saved: [String: JSONValue]) -> APIRequest {
        var request = self.request
        var members = request.body.object ?? []
        for child in self.children {
            guard let id = saved[child.internalID]?["objectId"] else { continue }
            members.append(JSONValue.Member(child.field, Self.pointer(child.className, id)))
        }
        request.body = .object(members)
        return request
    }

    /// Source: LeanCloud REST guide, "Data types".
    private static func pointer(_ className: String, _ id: JSONValue) -> JSONValue {
        if className == "_File" { return .fields(("__type", .string("File")), ("id", id)) }
        return .fields(("__type", .string("Pointer")), ("className", .string(className)), ("objectId", id))
    }
}

/// A batch that saves objects: how Swift's and Objective-C's SDKs sign people up, register devices and save everything
/// else.
///
/// It is answered with one object, in which each saved one stands under the name that the SDK gave it. Where one cannot
/// be saved, the answer is that error, and what comes after it is not done; what came before it is (LeanCloud takes it
/// back). Each answer starts the next request, on whichever thread it came.
///
/// Source: LeanCloud Swift SDK, `ObjectUpdater.swift` and `BatchRequest.swift`; Objective-C SDK, `LCObject.m`.
final class SaveRun: Sendable {
    private let parts: [SavePart]
    private let router: Router
    private let services: APIServices
    private let reply: APIReply
    private let state = Lock<(done: Int, saved: [String: JSONValue])>((0, [:]))

    init(_ parts: [SavePart], _ router: Router, _ services: APIServices, _ reply: @escaping APIReply) {
        self.parts = parts
        self.router = router
        self.services = services
        self.reply = reply
    }

    func next() {
        let (done, saved) = self.state.withLock { ($0.done, $0.saved) }
        guard done < self.parts.count else {
            let members = saved.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, $0.value) }
            return self.reply(.json(.object(members)))
        }
        do throws(APIFailure) {
            try self.router.runPart(self.parts[done].naming(saved), self.services) {
                self.takeAnswer($0, of: self.parts[done])
            }
        } catch {
            self.reply(.failure(error))
        }
    }

    private func takeAnswer(_ answer: APIAnswer, of part: SavePart) {
        if let failure = answer.failure { return self.reply(.failure(failure)) }
        let body = (try? JSONValue(parsing: answer.body)) ?? .object([])
        self.state.withLock { state in
            state.done += 1
            // One object may be saved by several requests, one for each operation on the same field.
            let before = state.saved[part.internalID]?.object ?? []
            let names = Set((body.object ?? []).map(\.name))
            let kept = before.filter { !names.contains($0.name) }
            state.saved[part.internalID] = .object(kept + (body.object ?? []))
        }
        self.next()
    }
}
