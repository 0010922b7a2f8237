/// A `ctl` command that an operation defines: how it is typed, and the request that it makes.
package struct OperationCommand: Sendable {
    /// Words of the command: `team`, `ban`.
    package let words: [String]
    /// Arguments and options, in the order of the fields; arguments that take several words stand last.
    package let places: [CommandPlace]
    /// Text key of the explanation.
    package let summary: String
    /// Command lines without `teahouse`.
    package let examples: [String]
    /// Gives the fields that have no place.
    private let sample: AdminRequest

    /// Every command that an operation defines.
    package static let all: [OperationCommand] = {
        var commands: [OperationCommand] = []
        var known: Set<[String]> = []
        for sample in AdminRequest.more + AdminRequest.all {
            let note = sample.noted
            guard let form = note.form else { continue }
            for words in [form.words] + (form.also.map { [$0] } ?? []) where known.insert(words).inserted {
                commands.append(OperationCommand(words, form, note.fields.map(\.place), sample))
            }
        }
        return commands
    }()

    private static let byWords = Dictionary(uniqueKeysWithValues: Self.all.map { ($0.words, $0) })

    private init(
        _ words: [String], _ form: OperationNote.Form, _ places: [CommandPlace], _ sample: AdminRequest
    ) {
        self.words = words
        self.places = places.filter { !$0.isRepeated } + places.filter(\.isRepeated)
        self.summary = form.summary
        self.examples = form.examples.map { example in
            (["ctl"] + words + (example.isEmpty ? [] : [example])).joined(separator: " ")
        }
        self.sample = sample
    }

    /// Makes the request that the words of a command line ask for.
    ///
    /// - Throws: `invalid`, with `typed`, for a word that is no value of its place.
    package func request(_ words: PlacedWords) throws(AdminError) -> AdminRequest {
        try self.sample.pass(.typing(self.sample, words))
    }

    /// The words of the command line that asks for a request; `nil` when the command would ask for something else.
    static func line(saying request: AdminRequest, _ note: OperationNote) -> [String]? {
        guard let form = note.form, let command = Self.byWords[form.words] else { return nil }
        var placed: PlacedWords = [:]
        for field in note.fields {
            placed[field.place.name] = field.words
            if field.words == nil, !field.place.isOptional || field.place.isRepeated { return nil }
            if let only = field.place.only, let words = field.words, !words.allSatisfy(only.contains) { return nil }
        }
        guard (try? command.request(placed)) == request else { return nil }
        let fields = note.fields.filter { !$0.place.isRepeated } + note.fields.filter(\.place.isRepeated)
        let parts = fields.filter(\.place.isArgument) + fields.filter { !$0.place.isArgument }
        return ctl(form.words, parts.map { CommandPart($0.place, $0.words) })
    }
}
