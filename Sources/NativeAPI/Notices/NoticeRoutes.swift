import APIKit
import ByteCodec
import ChatModel
import Store

/// Announcements of the operator: people read them again, and confirm them.
enum NoticeRoutes {
    static let routes: [NativeRoute] = [
        NativeRoute(
            "GET", "/notices", "notices", "Announcements of the operator to the person, the newest first.",
            query: [.optional("cursor", .text(1...18, .digits)), .limit],
            answer: .ok(.page(of: .reference("Notice"))), Self.list),
        NativeRoute(
            "POST", "/notices/{notice}/confirm", "confirmNotice", "Confirms that it was read; again, nothing changes.",
            path: [.required("notice", .text(1...18, .digits))], answer: .done, problems: [.notFound], Self.confirm),
    ]

    @Sendable private static func list(_ call: NativeCall) throws(Problem) {
        let (user, limit) = (call.user, call.limit)
        let before = call.input.text("cursor").flatMap { Int64($0) } ?? .max
        call.read { store throws(StoreError) in
            try store.announcements.page(for: user, before: before, limit: limit + 1).map {
                NativeNotice($0.notice, confirmedAtMilliseconds: $0.confirmedAtMilliseconds)
            }
        } answer: { found in
            .native { writer in
                writer.page(next: found.count > limit ? found[limit - 1].id : nil) { writer in
                    for notice in found.prefix(limit) { notice.write(to: &writer) }
                }
            }
        }
    }

    @Sendable private static func confirm(_ call: NativeCall) throws(Problem) {
        let (user, number) = (call.user, Int64(call.input.known("notice")) ?? 0)
        call.write { store throws(StoreError) in
            _ = try store.announcements.confirm(number, by: user)
        } answer: {
            .done
        }
    }
}
