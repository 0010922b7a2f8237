/// Notes of what a request says of itself when it is described.
final class OperationNote {
    /// Operation, without the words of a command that is made from places.
    var operation = AdminOperation()
    /// Command that is made from the places of the fields; `nil` for none.
    fileprivate(set) var form: Form?
    /// Places of the fields, in the order of the fields, with their words.
    private(set) var fields: [Field] = []

    /// A command, beside its places.
    struct Form {
        var words: [String]
        var also: [String]?
        var summary: String
        var examples: [String]
    }

    /// A field on the command line.
    struct Field {
        var place: CommandPlace
        /// Words of the value; `nil` for a place that stays empty.
        var words: [String]?
    }

    func add<Value: AdminValue>(_ value: Value, at place: CommandPlace) {
        var place = place
        if case .option = place.shape, place.only == nil { place.only = Value.choices }
        let words = Value.unsaid(at: place) == value ? nil : value.words(at: place)
        self.fields.append(Field(place: place, words: words))
    }
}

// MARK: Definitions

extension AdminFields {
    /// Gives an answer or an event its word on the socket.
    func named(_ word: String) -> AdminFields {
        self.note?.operation.word = word
        return self
    }

    /// Gives an answer without fields its word on the socket.
    func named(_ word: String, _ value: Record) -> Record {
        self.note?.operation.word = word
        return value
    }

    /// Defines an operation that only reads.
    ///
    /// - Parameters:
    ///   - role: least role that may use it.
    ///   - isAudited: true for a request that reveals private data or secrets.
    func look(
        _ word: String, role: OperatorRole = .administrator, _ subject: @autoclosure () -> String? = nil,
        isAudited: Bool = false
    ) {
        self.note?.operation = AdminOperation(word: word, role: role, isAudited: isAudited, subject: .text(subject()))
    }

    /// Defines an operation that changes something.
    ///
    /// - Parameters:
    ///   - role: least role that may use it.
    ///   - subject: what it changes, whose state the audit log keeps before and after.
    ///   - isChange: false for one that only tells what it would change.
    ///   - audited: request as the audit log keeps it, without passwords and texts of messages.
    ///   - inverse: request that undoes it, whatever the state before was.
    ///   - basis: request whose answer shows what it sets, for `restoring`.
    func change(
        _ word: String, role: OperatorRole = .administrator,
        _ subject: @autoclosure () -> AdminSubject = .text(nil), isChange: Bool = true,
        audited: @autoclosure () -> AdminRequest? = nil, inverse: @autoclosure () -> AdminRequest? = nil,
        basis: @autoclosure () -> AdminRequest? = nil
    ) {
        self.note?.operation = AdminOperation(
            word: word, role: role, isChange: isChange, isAudited: isChange, subject: subject(), audited: audited(),
            inverse: inverse(), basis: basis())
    }

    /// Gives the operation a `ctl` command, whose arguments and options are the places of its fields.
    ///
    /// - Parameters:
    ///   - words: the command: `team ban`.
    ///   - also: a former command that takes the same.
    ///   - summary: text key; `nil` for that of the command: `command.ctl.team.ban`.
    ///   - key: text key of the line that is printed when it is done; `nil` to print the answer.
    ///   - done: text key of the line for an answer that says no more than that it is done; `nil` for the same.
    ///   - evenForNone: true to print the line for a count of 0 too, and not that nothing was to be changed.
    ///   - values: values in that line, beside those of the answer.
    ///   - examples: words behind the command; one that is empty is the command alone.
    func ctl(
        _ words: String, also: String? = nil, summary: String? = nil, says key: String? = nil, done: String? = nil,
        evenForNone: Bool = false, _ values: @autoclosure () -> [String: String] = [:], examples: [String]
    ) {
        guard let note = self.note else { return }
        func split(_ words: String) -> [String] { words.split(separator: " ").map { String($0) } }
        note.form = OperationNote.Form(
            words: split(words), also: also.map { split($0) },
            summary: summary ?? (["command", "ctl"] + split(words)).joined(separator: "."), examples: examples)
        note.operation.outcome = key.map {
            AdminOperation.Outcome(key: $0, values: values(), doneKey: done, isForNone: evenForNone)
        }
    }

    /// Gives the operation the question that comes before it. Stands behind `change`.
    ///
    /// - Parameters:
    ///   - action: text key of what is done.
    ///   - consequences: text keys of what will be so afterwards; without one there is no question.
    ///   - objects: names of what it is done to.
    ///   - values: values in the sentences.
    ///   - isTyped: true when the first name is typed before it is done.
    ///   - isFinal: true when nothing brings back what was.
    ///   - losers: members whom it concerns, whose number is told.
    func asks(
        _ action: String, _ consequences: @autoclosure () -> [String], of objects: @autoclosure () -> [String],
        _ values: @autoclosure () -> [String: String] = [:], isTyped: Bool = false, isFinal: Bool = false,
        losers: AdminOperation.Caution.Losers? = nil
    ) {
        guard let note = self.note, note.operation.isChange else { return }
        let (consequences, objects) = (consequences(), objects())
        guard !consequences.isEmpty else { return }
        note.operation.caution = AdminOperation.Caution(
            action: action, consequences: consequences, values: values(), objects: objects,
            typed: isTyped ? objects.first : nil, isFinal: isFinal, losers: losers)
    }

    /// Gives the operation the words of a `ctl` command that is written by hand; `nil` when no command does the same.
    func line(_ command: @autoclosure () -> [String]?) { self.note?.operation.command = command() }

    /// Refuses typed words, in the words of a text.
    func checkTyped(_ isRight: @autoclosure () -> Bool, _ key: String) throws(AdminError) {
        guard self.isTyping, !isRight() else { return }
        throw AdminError(.invalid, key, typed: AdminError.Typed(key: key, values: [:]))
    }
}
