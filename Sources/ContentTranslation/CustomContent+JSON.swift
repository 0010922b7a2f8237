import ByteCodec
import ChatModel

extension CustomContent {
    /// The members of a JSON object as fields.
    static func fields(of members: [JSONValue.Member]) -> [Field] {
        members.map { member in
            let value: Value =
                switch member.value {
                case .null: .null
                case .string(let text): .text(text)
                case .integer(let number): .integer(number)
                case .double(let number): .number(number)
                case .boolean, .array, .object: .other
                }
            return Field(member.name, value)
        }
    }
}
