package import ChatModel
package import Localization

/// The texts of a team's card. Which rows somebody sees is decided by who they are in the team. Source of the Chinese
/// texts: NIMKit's team cards.
extension TeamCard {
    /// Title of a row.
    package static func title(of row: TeamCardRow.Name, in form: TeamForm, _ texts: Texts) -> String {
        texts(row.titleKey(in: form))
    }

    /// Value of a row, from the word or the text that the admin socket has for it.
    package static func value(_ value: String, of row: TeamCardRow.Name, _ texts: Texts) -> String {
        row.valueKey(value).map { texts($0) } ?? PlainLine.of(value, maximum: MessageDigest.maximumCharacters)
    }

    /// Why somebody may not use a row, from the word that the admin socket has for it.
    package static func refusal(_ word: String, _ texts: Texts) -> String { texts("card.refusal.\(word)") }
}
