import Accounts
import AdminAPI
import Store

// The app whose clients speak LeanCloud's protocols.
extension AdminHandler {
    func answerAppRequest(_ request: AdminAppRequest, _ then: @escaping Answer) {
        guard let application = self.accounts.app.application else {
            let text = "LeanCloud's clients are not served here: set leancloud.enabled and start again"
            return then(.failure(AdminError(.refused, text)))
        }
        switch request {
        case .show: then(.success(.app(.app(self.shown(application)))))
        case .keys:
            self.afterAuditing(then) {
                then(
                    .success(
                        .app(
                            .keys(
                                AdminAppKeys(
                                    appID: application.appID, appKey: application.appKey,
                                    masterKey: application.masterKey)))))
            }
        case .rotate(let rotation):
            let kind: AppKeyKind = rotation.key == .appKey ? .appKey : .masterKey
            self.accounts.app.rotate(
                kind, to: rotation.value, overlapSeconds: rotation.overlapSeconds, auditing: self.note
            ) { result in
                then(result.map { .app(.app(self.shown($0))) }.mapError { AdminError($0) })
            }
        case .set(let patch): self.set(patch, then)
        case .sign(let signing): self.sign(signing, then)
        }
    }

    private func shown(_ application: AppDescription) -> AdminApp {
        let policy = self.accounts.app.policy
        return AdminApp(
            appID: application.appID, appKeyHint: Self.hint(application.appKey),
            masterKeyHint: Self.hint(application.masterKey),
            previousAppKeyUntilMilliseconds: application.previousAppKeyUntilMilliseconds,
            previousMasterKeyUntilMilliseconds: application.previousMasterKeyUntilMilliseconds,
            signIn: policy.signIn.rawValue, signsConversations: policy.signsConversations,
            signsHistory: policy.signsHistory, createsUsers: policy.createsUsers,
            signatureWindowSeconds: policy.signatureWindowSeconds, sessionTokenSeconds: policy.sessionTokenSeconds,
            signatures: self.accounts.app.metrics.all.map {
                AdminSignatureCounts(
                    action: $0.action, valid: $0.valid, missing: $0.missing, wrong: $0.wrong, expired: $0.expired,
                    replayed: $0.replayed)
            })
    }

    /// Enough to tell two keys apart; too little to guess the rest.
    private static func hint(_ key: String) -> String { key.prefix(4) + "…" }

    // MARK: What clients have to prove

    /// All of it or nothing.
    private func set(_ patch: AdminAppPatch, _ then: @escaping Answer) {
        guard let settings = self.options.serverSettings else {
            return then(.failure(AdminError(.refused, "the settings of this server cannot be changed while it runs")))
        }
        var checked: [(name: String, value: String)] = []
        do throws(AdminError) {
            for (name, value) in patch.settings { checked.append((name, try settings.check(name, value))) }
        } catch {
            return then(.failure(error))
        }
        let changes = checked
        let told: Answer = { result in
            guard case .success = result else { return then(result) }
            for (name, value) in changes { settings.apply(name, value) }
            guard let application = self.accounts.app.application else { return then(result) }
            then(.success(.app(.app(self.shown(application)))))
        }
        self.write(told) { transaction throws(StoreError) in
            for (name, value) in changes { try transaction.sessionSettings.setServerSetting(name, value) }
            return .done
        }
    }

    // MARK: Signing

    private func sign(_ signing: AdminAppSigning, _ then: @escaping Answer) {
        let now = self.options.clock.wallMilliseconds()
        let timestamp = signing.timestamp ?? now
        let signed: AdminAppSigned
        do throws(AdminError) {
            signed = try self.signed(signing, timestamp: timestamp)
        } catch {
            return then(.failure(error))
        }
        self.afterAuditing(then) { then(.success(.app(.signed(signed)))) }
    }

    private func signed(_ signing: AdminAppSigning, timestamp: Int64) throws(AdminError) -> AdminAppSigned {
        guard timestamp >= 0 else { throw AdminError(.invalid, "timestamp: a time since 1970 is not negative") }
        let app = self.accounts.app
        guard let action = try Self.action(signing) else {
            guard let made = app.signREST(asMaster: signing.action == .restMaster, timestamp: timestamp) else {
                throw AdminError(.failed, "this machine refuses MD5, which LeanCloud's clients sign with")
            }
            return AdminAppSigned(text: made.text, signature: made.header, timestamp: timestamp, nonce: nil)
        }
        let nonce = signing.nonce ?? String(UInt64.random(in: 0...UInt64.max), radix: 36)
        guard let made = app.sign(action, timestamp: timestamp, nonce: nonce) else {
            throw AdminError(.failed, "this machine refuses HMAC-SHA1, which LeanCloud's clients are signed with")
        }
        return AdminAppSigned(text: made.text, signature: made.signature, timestamp: timestamp, nonce: nonce)
    }

    /// `nil` for the header of HTTP requests.
    private static func action(_ signing: AdminAppSigning) throws(AdminError) -> SignedAction? {
        let (client, members) = (signing.client, signing.members)
        let needsConversation: Bool
        switch signing.action {
        case .rest, .restMaster: return nil
        case .open, .start: needsConversation = false
        case .invite, .kick, .block, .unblock, .history: needsConversation = true
        }
        guard !client.isEmpty else { throw AdminError(.invalid, "client: say for whom it is") }
        let conversation = signing.conversation ?? ""
        guard !needsConversation || !conversation.isEmpty else {
            throw AdminError(.invalid, "conversation: say in which one")
        }
        switch signing.action {
        case .open, .rest, .restMaster: return .open(client: client)
        case .start: return .start(client: client, members: members)
        case .invite: return .invite(client: client, conversation: conversation, members: members)
        case .kick: return .kick(client: client, conversation: conversation, members: members)
        case .block: return .block(client: client, conversation: conversation, members: members)
        case .unblock: return .unblock(client: client, conversation: conversation, members: members)
        case .history: return .history(client: client, conversation: conversation)
        }
    }

    /// State of the app for the audit log: no keys, but the end of old ones, and the values set over the file.
    static let stateOfApp: AuditNote.State = { transaction throws(StoreError) in
        guard let application = try transaction.apps.application() else { return nil }
        let settings = try transaction.sessionSettings.serverSettings()
        return Self.object { json in
            json.text("appId", application.appID)
            json.number("previousAppKeyUntil", application.previousAppKey?.untilMilliseconds ?? 0)
            json.number("previousMasterKeyUntil", application.previousMasterKey?.untilMilliseconds ?? 0)
            json.text("signIn", settings["leancloud.sign_in"] ?? "-")
            json.text("conversations", settings["leancloud.conversation_signatures"] ?? "-")
            json.text("history", settings["leancloud.history_signatures"] ?? "-")
            json.text("createsUsers", settings["leancloud.creates_users"] ?? "-")
        }
    }
}
