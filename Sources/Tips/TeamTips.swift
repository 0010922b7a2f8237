package import Broker
package import ChatModel
import Localization
import Profiles
package import Store
import WuKongTranslation

/// Something that happened in a team, with the names of its people.
package struct ToldHappening: Sendable {
    let event: TeamEvent
    /// `nil` for the operator and business servers.
    let actor: TipName?
    let targets: [TipName]
    let form: TeamForm

    /// The message about it, in the language in which the house writes into groups.
    var content: MessageContent {
        let texts = Texts(installed: .chinese)
        // The places of the people, whom apps show by the names they know.
        let people = (self.actor.map { [$0] } ?? []) + self.targets
        let places = people.enumerated().map { TipPerson($1.user, name: "{\($0)}") }
        let actor = self.actor == nil ? TipPerson(systemUserName, name: texts("tip.operator")) : places[0]
        let text = TeamTip(texts, reader: nil).text(
            self.event, actor: actor, targets: Array(places.dropFirst(self.actor == nil ? 0 : 1)),
            team: self.form == .normal ? .normal : .advanced)
        return Translation.teamTip(
            self.event, text: text, people: people, actor: self.actor?.user, targets: self.targets.map(\.user))
    }
}

extension ReadTransaction {
    /// What happened in a team, with the names that people have now: told in the transaction of the change.
    ///
    /// - Throws: `notFound` for somebody who is not known.
    package func told(_ happened: [TeamHappening], in team: Team) throws(StoreError) -> [ToldHappening] {
        var told: [ToldHappening] = []
        for happening in happened {
            var targets: [TipName] = []
            for target in happening.targets { targets.append(try self.tipName(target)) }
            told.append(
                ToldHappening(
                    event: happening.event,
                    actor: try happening.actor == .system ? nil : self.tipName(happening.actor), targets: targets,
                    form: team.settings.form))
        }
        return told
    }

    private func tipName(_ id: UserID) throws(StoreError) -> TipName {
        guard let user = try self.user(id) else { throw .notFound("user number \(id.rawValue)") }
        return TipName(user.name, user.displayName ?? user.name.text)
    }
}

extension Broker {
    /// Leaves the lines about what happened in a team, in the name of the house.
    package func leave(_ told: [ToldHappening], in id: ConversationID) {
        for happening in told {
            // What does not fit any more (a full disk) is no reason to call the change undone.
            self.publish(
                as: .system, authority: .operator, to: .id(id), token: nil, content: happening.content
            ) { _ in }
        }
    }
}
