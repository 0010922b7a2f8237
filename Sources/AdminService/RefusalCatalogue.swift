package import AdminAPI
import Localization

/// The numbers of refusals, found by their English sentences: `refusal.NUMBER` of the language file that the binary
/// carries. Every other language words the same number.
package enum RefusalCatalogue {
    /// A sentence with places between its pieces.
    private struct Sentence: Sendable {
        var number: Int64
        /// Texts around the places: one more than there are places.
        var pieces: [[UInt8]]

        /// The values of the places in a message; `nil` for another sentence. Each value has a byte or more.
        func values(in message: [UInt8]) -> [String]? {
            guard self.pieces.count > 1 else { return message == self.pieces[0] ? [] : nil }
            guard message.starts(with: self.pieces[0]) else { return nil }
            var values: [String] = []
            var at = self.pieces[0].count
            for (number, piece) in self.pieces.enumerated().dropFirst() {
                let isLast = number == self.pieces.count - 1
                guard let end = isLast ? self.end(of: piece, in: message) : Self.find(piece, in: message, from: at + 1),
                    end > at
                else { return nil }
                values.append(String(decoding: message[at..<end], as: UTF8.self))
                at = end + piece.count
            }
            return values
        }

        private func end(of piece: [UInt8], in message: [UInt8]) -> Int? {
            let end = message.count - piece.count
            return end >= 0 && message[end...].elementsEqual(piece) ? end : nil
        }

        private static func find(_ piece: [UInt8], in message: [UInt8], from start: Int) -> Int? {
            guard start + piece.count <= message.count else { return nil }
            return (start...message.count - piece.count).first { message[$0...].starts(with: piece) }
        }
    }

    /// Numbers of refusals.
    package static let numbers: ClosedRange<Int64> = 100...999

    /// Sentences, those with the most text of their own first.
    private static let sentences: [Sentence] = {
        let texts = Texts(embedded: .english)
        let all = Self.numbers.compactMap { number -> Sentence? in
            let key = "refusal.\(number)"
            let text = texts(key)
            return text == key ? nil : Sentence(number: number, pieces: Self.pieces(of: text))
        }
        return all.sorted { one, other in
            let (own, others) = (one.pieces.reduce(0) { $0 + $1.count }, other.pieces.reduce(0) { $0 + $1.count })
            return own == others ? one.number < other.number : own > others
        }
    }()

    /// The texts around `{1}`, `{2}` and so on.
    private static func pieces(of text: String) -> [[UInt8]] {
        var pieces: [[UInt8]] = [[]]
        for part in text.split(separator: "{", omittingEmptySubsequences: false).enumerated() {
            guard part.offset > 0, let close = part.element.firstIndex(of: "}") else {
                pieces[pieces.count - 1] += Array(part.element.utf8)
                continue
            }
            pieces.append(Array(part.element[part.element.index(after: close)...].utf8))
        }
        return pieces
    }

    /// Number and values of a sentence; `nil` for one without a number.
    package static func reason(of message: String) -> AdminError.Reason? {
        let bytes = Array(message.utf8)
        for sentence in Self.sentences {
            if let values = sentence.values(in: bytes) {
                return AdminError.Reason(number: sentence.number, values: values)
            }
        }
        return nil
    }
}
