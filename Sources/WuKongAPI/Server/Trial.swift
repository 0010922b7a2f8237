import APIKit
import ChatModel
import Store
import WuKongTranslation

/// Requests that an app's own server makes, as the open demo page makes them without one: see `TrialSettings`.
///
/// A refusal is answered with 400, the only status whose text that page shows.
enum Trial {
    /// Gives a person of the trial a token; the person is made when missing.
    @Sendable static func registerToken(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        try Users.registerToken(request, services, trial: try Self.settings(services), reply)
    }

    /// Makes a group of the trial, or changes it, with its subscribers, who are people of the trial.
    @Sendable static func saveChannel(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let fields = try request.fields()
        let patch = try Channels.switches(fields)
        try Self.change(
            fields, services, reply, subscribers: try fields.uids("subscribers", most: Channels.maximumUIDs)
        ) {
            members in
            var patch = patch
            if !members.isEmpty { patch.members = members }
            return patch
        }
    }

    /// Adds people of the trial to a group of the trial, which is made when missing.
    @Sendable static func addSubscribers(
        _ request: APIRequest, _ services: APIServices, _ reply: @escaping APIReply
    ) throws(APIFailure) {
        let fields = try request.fields()
        let subscribers = try fields.uids("subscribers", most: Channels.maximumUIDs)
        guard !subscribers.isEmpty else { throw .bad("subscribers is missing") }
        guard try !fields.isOn("reset"), try !fields.isOn("temp_subscriber") else {
            throw .bad("the trial mode knows neither reset nor temp_subscriber")
        }
        try Self.change(fields, services, reply, subscribers: subscribers) { members in
            var patch = ChannelPatch()
            patch.members = members
            return patch
        }
    }

    private static func change(
        _ fields: APIFields, _ services: APIServices, _ reply: @escaping APIReply, subscribers: [UserName],
        _ patch: @escaping @Sendable ([UserID]) -> ChannelPatch
    ) throws(APIFailure) {
        let settings = try Self.settings(services)
        let channel = try fields.channel()
        let (kind, name) = (channel.kind, try channel.channelName())
        services.write(reply, by: .business) { transaction throws(StoreError) in
            var members: [UserID] = []
            for name in subscribers {
                members.append(try transaction.trial.ensurePerson(name, most: settings.maximumPeople))
            }
            _ = try transaction.trial.ensureChannel(kind, name, most: settings.maximumChannels)
            try transaction.conversations.upsertChannel(kind, name, patch(members))
        } answer: { _ in
            .ok
        }
    }

    private static func settings(_ services: APIServices) throws(APIFailure) -> TrialSettings {
        guard let settings = services.settings.trial else { throw APIFailure(401, "the header field token is missing") }
        return settings
    }
}
