import APIKit
import AdminAPI
import ChatModel
import Profiles
import Store

extension AdminHandler {
    func answerProfileRequest(_ request: AdminProfileRequest, _ then: @escaping Answer) {
        guard let profiles = self.profiles else {
            return then(.failure(AdminError(.refused, "this server is not asked who people are")))
        }
        switch request {
        case .show(let name, let asker, let conversation): self.show(name, asker, conversation, profiles, then)
        case .set(let change): self.set(change, profiles, then)
        case .invalidate(let what): self.afterAuditing(then) { self.invalidate(what, profiles, then) }
        case .metrics: then(.success(.profiles(.metrics(Self.metrics(of: profiles.metrics)))))
        }
    }

    // MARK: Showing

    /// How long the operator waits for another user system.
    private static let waitMilliseconds: Int64 = 5_000

    private func show(
        _ name: UserName, _ asker: UserName?, _ conversation: String?, _ profiles: Profiles, _ then: @escaping Answer
    ) {
        self.store.read(
            for: .operator,
            { transaction throws(StoreError) in
                var asking: UserID?
                if let asker { asking = try transaction.existingUser(asker).id }
                var place: ConversationID?
                if let conversation { place = try Self.find(conversation, transaction).id }
                return (asking, place, try transaction.profiles.profileRows([name])[name])
            }
        ) { found in
            switch found {
            case .failure(let error): then(.failure(AdminError(error)))
            case .success(let (asking, place, row)):
                profiles.lookUp([name], by: asking, in: place, waitMilliseconds: Self.waitMilliseconds) { infos in
                    let info = infos.first ?? .placeholder(name)
                    then(.success(.profiles(.one(AdminProfile(info, row, profiles.inspect(name))))))
                }
            }
        }
    }

    // MARK: Changing

    private func set(_ change: AdminProfileChange, _ profiles: Profiles, _ then: @escaping Answer) {
        do throws(AdminError) { try checkTitle(change.displayName) } catch { return then(.failure(error)) }
        let patch = ProfilePatch(
            displayName: change.displayName, avatar: change.avatar.map(APIPaths.file),
            attributes: change.attributes.map { Array($0.utf8) })
        let setFields: @Sendable () -> Void = {
            profiles.setProfile(of: change.name, patch, externalID: change.externalID, auditing: self.note) { result in
                then(result.map { _ in .done }.mapError { AdminError($0) })
            }
        }
        guard let avatar = change.avatar else { return setFields() }
        // Held first: a picture that nothing holds is removed after a day, and only pictures are everybody's.
        self.store.write({ transaction throws(StoreError) in
            let user = try transaction.reading.existingUser(change.name).id
            try transaction.files.setPicture(of: .person(user, isSmall: false), to: avatar, by: .operator)
        }) { result in
            guard case .failure(let error) = result else { return setFields() }
            then(.failure(AdminError(error)))
        }
    }

    private func invalidate(_ what: AdminInvalidation, _ profiles: Profiles, _ then: @escaping Answer) {
        switch what {
        case .all:
            profiles.invalidate(.all, cause: .request)
            then(.success(.done))
        case .person(let name):
            profiles.invalidate(.person(name), cause: .request)
            then(.success(.done))
        case .team(let conversation):
            self.store.read(
                for: .operator, { transaction throws(StoreError) in try Self.find(conversation, transaction).id }
            ) {
                found in
                guard case .success(let id) = found else {
                    if case .failure(let error) = found { then(.failure(AdminError(error))) }
                    return
                }
                profiles.invalidate(.team(id), cause: .request)
                profiles.invalidate(.members(id), cause: .request)
                then(.success(.done))
            }
        }
    }

    // MARK: Figures

    static func metrics(of metrics: ProfileMetrics) -> [AdminMetric] {
        let asked = metrics.hits + metrics.misses
        return [
            AdminMetric("profiles.entries", metrics.entries), AdminMetric("profiles.bytes", metrics.bytes),
            AdminMetric("profiles.hits", metrics.hits), AdminMetric("profiles.misses", metrics.misses),
            AdminMetric("profiles.hitPercent", asked == 0 ? 0 : metrics.hits * 100 / asked),
            AdminMetric("profiles.coalesced", metrics.coalesced), AdminMetric("profiles.refreshes", metrics.refreshes),
            AdminMetric("profiles.evicted", metrics.evicted),
            AdminMetric("profiles.invalidations", metrics.invalidations),
            AdminMetric("profiles.outdated", metrics.outdated),
            AdminMetric("profiles.placeholders", metrics.placeholders),
            AdminMetric("profiles.tableReads", metrics.tableReads),
            AdminMetric("profiles.tableFailures", metrics.tableFailures),
            AdminMetric("profiles.providerRequests", metrics.providerRequests),
            AdminMetric("profiles.providerFailures", metrics.providerFailures),
            AdminMetric("profiles.providerMeanMicroseconds", metrics.providerMeanMicroseconds),
            AdminMetric("profiles.providerP99Microseconds", metrics.providerP99Microseconds),
            AdminMetric("profiles.waiting", metrics.waiting), AdminMetric("profiles.watchers", metrics.watchers),
        ]
    }

    static func troubles(of metrics: ProfileMetrics) -> [String] {
        guard let provider = metrics.provider, metrics.providerState != .working || metrics.lastError != nil else {
            return []
        }
        let reason = metrics.lastError.map { ": \($0)" } ?? ""
        return [
            """
            the user system \(provider) does not answer\(reason); people are shown by what is known here until it does; \
            look at its log and at profiles.url
            """
        ]
    }
}

extension AdminProfile {
    /// - Parameter row: what the user table says; a field that says something else came from the other user system.
    init(_ info: ProfileInfo, _ row: ProfileRow?, _ inspection: ProfileInspection) {
        let from: (Bool) -> String = { $0 ? "account" : "remote" }
        var fields: [AdminProfileField] = []
        let add: (String, String?, String) -> Void = { name, value, source in
            if let value, !value.isEmpty { fields.append(AdminProfileField(name, value, source: source)) }
        }
        add("alias", info.alias, "alias")
        add("teamName", info.teamName, "team")
        add("displayName", info.displayName, from(info.displayName == row?.displayName))
        add("externalID", info.externalID, from(info.externalID == row?.externalID))
        add("avatar", info.picture.full, from(info.picture.full == row?.avatar))
        add("smallAvatar", info.picture.small, from(info.picture.small == row?.avatarSmall))
        let attributes = info.attributes.map { String(decoding: $0, as: UTF8.self) }
        add("attributes", attributes, from(info.attributes == row?.attributes))
        var entry: AdminProfileEntry?
        if let source = inspection.source, let age = inspection.ageMilliseconds, let left = inspection.leftMilliseconds
        {
            entry = AdminProfileEntry(source: source.rawValue, ageMilliseconds: age, leftMilliseconds: left)
        }
        self.init(
            name: info.name, shownName: info.shownName, isKnown: info.isKnown, isPlaceholder: info.isPlaceholder,
            fields: fields, entry: entry, watchers: Int64(inspection.watchers))
    }
}
