import ByteCodec
import ChatModel
import Configuration
import Server
import Store
import TeahouseTesting
import Testing

/// Changes of messages that the operator allows people.
struct RuleSettingsScenarios {
    private static func options(_ file: String) throws -> ServerOptions {
        var arguments = CommandLineSettings()
        arguments.configPath = "teahouse.toml"
        return try ServerOptions(try Settings(arguments: arguments) { _ in Array(file.utf8) }, log: .silent)
    }

    @Test("windows and receipts come from the settings; 0 is never and -1 always")
    func settings() throws {
        let options = try Self.options(
            """
            [messages]
            recall_seconds_direct = -1
            recall_seconds_group = 0
            recall_seconds_managers = 7
            edit_seconds_direct = 60
            edit_seconds_group = 0
            receipts_direct = false
            receipts_group = false
            reminder_days = 3
            """)
        var rules = MessageRules()
        rules.recallInDirect = .always
        rules.recallInGroups = .never
        rules.recallByManagers = .seconds(7)
        rules.editInDirect = .seconds(60)
        rules.editInGroups = .never
        rules.receiptsInDirect = false
        rules.receiptsInGroups = false
        #expect(options.store.rules == rules && options.store.reminderDays == 3)
        #expect(try Self.options("").store.rules == MessageRules())
    }

    @Test("where recalling is switched off, members are told so, managers may, and apps know it beforehand")
    func recallOff() throws {
        let server = try TestServer { $0.store.rules.recallInGroups = .never }
        try server.group("tea", ["romeo", "juliet"])
        let client = try server.connect("juliet")
        func recall(as name: String) throws -> (status: Int, json: JSONValue) {
            let sent = try client.publish("oops", to: "tea", group: true)
            let target = "/v1/message/revoke?channel_id=tea&channel_type=2&message_id=\(sent.messageID)"
            return try server.http("POST", target, token: try server.token(name), json: "{}")
        }
        let refused = try recall(as: "juliet")
        #expect(refused.status == 400 && refused.json["msg"]?.string?.contains("switched this off") == true)
        #expect(try recall(as: "romeo").status == 200)
        let configuration = try server.http("GET", "/v1/common/appconfig").json
        #expect(configuration["revoke_second"]?.integer == 0)
    }
}
