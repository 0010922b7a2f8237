import ByteCodec
package import ChatModel
import Diagnostics
import Execution
package import HTTPClient
package import Store
import WuKongTranslation
package import WuKongWire

/// Asks a business server about channels and people that we do not know: POST of `{"cmd":..., "data":{...}}`, answered
/// with JSON. Any thread.
///
/// Questions about the same channel at the same time are one. Source: WuKongIM server v2, datasource.
package final class DatasourceClient: Sendable {
    package typealias ChannelAnswer = @Sendable (Result<SourcedChannel?, DatasourceError>) -> Void

    /// Channels that may be asked about at the same time, and askers that may wait for one.
    static let maximumChannels = 64
    static let maximumAskers = 256
    /// Bytes of one answer: a hundred thousand uids of the usual length.
    static let answerBytes = 4 << 20

    private struct Key: Hashable {
        let id: String
        let type: WuKongChannelType
    }

    private let address: HTTPAddress
    private let client: HTTPClient
    private let secret: [UInt8]?
    private let timeoutMilliseconds: Int64
    private let askers = Lock<[Key: [ChannelAnswer]]>([:])

    /// - Parameters:
    ///   - secret: signs the questions, as it does hooks.
    ///   - timeoutMilliseconds: for each question.
    package init(address: HTTPAddress, client: HTTPClient, secret: [UInt8]?, timeoutMilliseconds: Int64 = 2_000) {
        self.address = address
        self.client = client
        self.secret = secret
        self.timeoutMilliseconds = timeoutMilliseconds
    }

    /// Everything about a channel: `nil` when it has no subscribers, which is how a datasource says that there is no such
    /// channel. `then` runs on a thread of the client, or on the caller's when it is `busy`.
    package func channel(id: String, type: WuKongChannelType, then: @escaping ChannelAnswer) {
        let key = Key(id: id, type: type)
        let verdict: Bool? = self.askers.withLock { askers in
            guard let waiting = askers[key] else {
                guard askers.count < Self.maximumChannels else { return nil }
                askers[key] = [then]
                return true
            }
            guard waiting.count < Self.maximumAskers else { return nil }
            askers[key]?.append(then)
            return false
        }
        guard let isFirst = verdict else { return then(.failure(.busy)) }
        guard isFirst else { return }
        self.askSubscribers(key)
    }

    /// The channel made in the store, as the datasource describes it; `nil` when it knows none by that name, and for kinds
    /// that make themselves. `then` runs on a thread of the client or of the store, or on the caller's.
    package func importChannel(
        id: String, type: WuKongChannelType, into store: Store,
        then: @escaping @Sendable (Result<ConversationID?, DatasourceError>) -> Void
    ) {
        let kind = Translation.conversationKind(type)
        // The conversations of two people, and of a person and an agent, make themselves.
        guard kind != .direct, kind != .agent, let name = Translation.channelName(id, type) else {
            return then(.success(nil))
        }
        self.channel(id: id, type: type) { result in
            switch result {
            case .failure(let error): then(.failure(error))
            case .success(nil): then(.success(nil))
            case .success(let sourced?):
                store.write { transaction throws(StoreError) in
                    try transaction.importChannel(kind, name, sourced)
                } then: { result in
                    then(result.map { $0 }.mapError { .store($0.description) })
                }
            }
        }
    }

    /// The people to whom no permission applies.
    package func systemUIDs(then: @escaping @Sendable (Result<[UserName], DatasourceError>) -> Void) {
        self.ask("getSystemUIDs", nil) { then($0.flatMap { Self.people($0, "getSystemUIDs") }) }
    }

    // MARK: One channel

    private func askSubscribers(_ key: Key) {
        self.ask("getSubscribers", key) { answer in
            switch answer.flatMap({ Self.people($0, "getSubscribers") }) {
            case .failure(let error): self.settle(key, .failure(error))
            case .success(let people) where people.isEmpty: self.settle(key, .success(nil))
            case .success(let people):
                var sourced = SourcedChannel()
                sourced.subscribers = people
                self.askInfo(key, sourced)
            }
        }
    }

    private func askInfo(_ key: Key, _ sourced: SourcedChannel) {
        self.ask("getChannelInfo", key) { answer in
            switch answer {
            case .failure(let error): self.settle(key, .failure(error))
            case .success(let info):
                guard info.isNull || info.object != nil else {
                    return self.settle(key, .failure(.badAnswer(command: "getChannelInfo")))
                }
                var sourced = sourced
                sourced.isBanned = info["ban"]?.integer == 1
                sourced.isDisbanded = info["disband"]?.integer == 1
                self.askList("getBlacklist", key) { [sourced] denied in
                    var sourced = sourced
                    sourced.denied = denied
                    self.askList("getWhitelist", key) { [sourced] allowed in
                        var sourced = sourced
                        sourced.allowed = allowed
                        self.settle(key, .success(sourced))
                    }
                }
            }
        }
    }

    private func askList(_ command: StaticString, _ key: Key, then: @escaping @Sendable ([UserName]) -> Void) {
        self.ask(command, key) { answer in
            switch answer.flatMap({ Self.people($0, command) }) {
            case .failure(let error): self.settle(key, .failure(error))
            case .success(let people): then(people)
            }
        }
    }

    private func settle(_ key: Key, _ result: Result<SourcedChannel?, DatasourceError>) {
        let askers = self.askers.withLock { $0.removeValue(forKey: key) } ?? []
        for asker in askers { asker(result) }
    }

    // MARK: One question

    private func ask(
        _ command: StaticString, _ key: Key?, then: @escaping @Sendable (Result<JSONValue, DatasourceError>) -> Void
    ) {
        let body = Self.question(command, key)
        var fields = [("Content-Type", "application/json")]
        if let secret = self.secret {
            let seconds = Clock.system.wallMilliseconds() / 1000
            fields.append(
                ("X-Teahouse-Signature", RequestSignature.text(secret: secret, unixSeconds: seconds, body: body)))
        }
        let request = HTTPRequestToSend(
            .post, self.address, fields: fields, body: body, timeoutMilliseconds: self.timeoutMilliseconds,
            responseBytes: Self.answerBytes)
        self.client.send(request) { then(Self.answer($0, command)) }
    }

    private static func question(_ command: StaticString, _ key: Key?) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.key("cmd")
        json.string(command.description)
        json.key("data")
        json.beginObject()
        if let key {
            json.key("channel_id")
            json.string(key.id)
            json.key("channel_type")
            json.integer(Int64(key.type.rawValue))
        }
        json.endObject()
        json.endObject()
        return json.bytes
    }

    private static func answer(
        _ result: Result<HTTPResponse, HTTPClientError>, _ command: StaticString
    ) -> Result<JSONValue, DatasourceError> {
        switch result {
        case .failure(.busy): return .failure(.busy)
        case .failure(let error): return .failure(.unreachable(error.description))
        case .success(let response):
            guard response.status == 200 else { return .failure(.refused(status: response.status)) }
            guard !response.isCut, let value = try? JSONValue(parsing: response.body) else {
                return .failure(.badAnswer(command: command.description))
            }
            return .success(value)
        }
    }

    /// Uids that nobody may have here are left out.
    private static func people(
        _ value: JSONValue, _ command: StaticString
    ) -> Result<[UserName], DatasourceError> {
        if value.isNull { return .success([]) }
        guard let texts = value.array?.map(\.string), texts.allSatisfy({ $0 != nil }) else {
            return .failure(.badAnswer(command: command.description))
        }
        return .success(texts.compactMap { $0.flatMap(Translation.userName) })
    }
}
