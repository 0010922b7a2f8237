import APIKit
import ByteCodec
import ChatModel

/// Routes that apps ask at their start. Where nothing of a kind is stored, the list is empty, which is true.
struct CommonRoutes: Sendable {
    let settings: BusinessSettings

    var routes: [Route] {
        [
            Route("GET", "/v1/common/appconfig", .anyone, self.configuration),
            Route("GET", "/v1/common/appmodule", .anyone, Self.nothing),
            Route("POST", "/v1/robot/sync", Self.noRobots),
            Route("GET", "/v1/message/prohibit_words/sync", Self.noWords),
            Route("GET", "/v1/message/sync/sensitivewords", Self.noSensitiveWords),
        ]
    }

    /// Source: TangSengDaoDao server, appConfigResp. `revoke_second` is -1 for a time without an end.
    @Sendable private func configuration(_ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply) {
        let window: Int64 =
            switch self.settings.rules().recallInGroups {
            case .never: 0
            case .seconds(let seconds): seconds
            case .always: -1
            }
        reply(
            .json(
                .fields(
                    ("version", .integer(1)), ("web_url", .string("")), ("phone_search_off", .integer(1)),
                    ("shortno_edit_off", .integer(0)), ("revoke_second", .integer(window)),
                    ("apple_sign_in", .integer(0)), ("register_invite_on", .integer(0)),
                    ("send_welcome_message_on", .integer(0)), ("invite_system_account_join_group_on", .integer(0)),
                    ("register_user_must_complete_info_on", .integer(0)),
                    ("channel_pinned_message_max_count", .number(MessageLimits.pinned)),
                    ("can_modify_api_url", .integer(1)),
                    ("register_off", .flag(!self.settings.registrationIsOpen)))))
    }

    @Sendable private static func nothing(_ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply) {
        reply(.json(.array([])))
    }

    @Sendable private static func noRobots(_ call: BusinessCall) { call.reply(.json(.array([]))) }

    @Sendable private static func noWords(_ call: BusinessCall) { call.reply(.json(.array([]))) }

    @Sendable private static func noSensitiveWords(_ call: BusinessCall) {
        call.reply(.json(.fields(("tips", .string("")), ("list", .array([])), ("version", .integer(0)))))
    }
}
