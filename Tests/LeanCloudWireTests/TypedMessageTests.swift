import ByteCodec
import LeanCloudWire
import Testing

struct TypedMessageTests {
    /// Content as SDKs write it, and what it says; members in the order in which we write them.
    static let samples: [(content: String, message: TypedMessage)] = [
        (#"{"_lctype":-1,"_lctext":"hello"}"#, TypedMessage(.text, text: "hello")),
        (
            #"{"_lctype":-1,"_lctext":"","_lcattrs":{"degrade":"[x]","n":[1,null]}}"#,
            TypedMessage(
                .text, text: "",
                attributes: [.init("degrade", .string("[x]")), .init("n", .array([.integer(1), .null]))])
        ),
        (
            #"{"_lctype":-2,"_lcfile":{"url":"http://a/b.png","objId":"5a0b1c2d3e4f5061728394a5","#
                + #""metaData":{"name":"b.png","format":"png","width":640,"height":480,"size":1234,"owner":"tom"}}}"#,
            TypedMessage(
                .image,
                file: TypedMessageFile(
                    url: "http://a/b.png", objectID: "5a0b1c2d3e4f5061728394a5",
                    metadata: TypedMessageFileMetadata(
                        name: "b.png", format: "png", width: 640, height: 480, size: 1234, owner: "tom")))
        ),
        (
            #"{"_lctype":-3,"_lcfile":{"url":"u","metaData":{"format":"mp3","duration":2.5,"size":9}}}"#,
            TypedMessage(
                .audio,
                file: TypedMessageFile(
                    url: "u", metadata: TypedMessageFileMetadata(format: "mp3", duration: 2.5, size: 9)))
        ),
        (#"{"_lctype":-4,"_lcfile":{"url":"u"}}"#, TypedMessage(.video, file: TypedMessageFile(url: "u"))),
        (
            #"{"_lctype":-5,"_lcloc":{"latitude":39.75,"longitude":-116.5}}"#,
            TypedMessage(.location, location: TypedMessageLocation(latitude: 39.75, longitude: -116.5))
        ),
        (
            #"{"_lctype":-6,"_lcfile":{"url":"u","name":"n","size":7}}"#,
            TypedMessage(
                .file,
                file: TypedMessageFile(
                    url: "u", others: [.init("name", .string("n")), .init("size", .integer(7))]))
        ),
        (#"{"_lctype":-127}"#, .recalled),
        (#"{"_lctype":-101,"timestamp":1700000000123}"#, TypedMessage(.groupReceipt, timestamp: 1_700_000_000_123)),
        (
            #"{"_lctype":7,"_lctext":"t","op":"move","to":{"x":1}}"#,
            TypedMessage(
                TypedMessageKind(rawValue: 7), text: "t",
                others: [.init("op", .string("move")), .init("to", .object([.init("x", .integer(1))]))])
        ),
        (
            #"{"_lctype":-9000,"a":true}"#,
            TypedMessage(TypedMessageKind(rawValue: -9000), others: [.init("a", .boolean(true))])
        ),
    ]

    @Test("every kind is read, and written as it was", arguments: Self.samples.indices)
    func kinds(index: Int) {
        let sample = Self.samples[index]
        #expect(TypedMessage(parsing: sample.content) == sample.message)
        #expect(sample.message.content == sample.content)
    }

    @Test("only numbers above 0 are the app's")
    func custom() {
        #expect(TypedMessageKind(rawValue: 1).isCustom && TypedMessageKind(rawValue: .max).isCustom)
        #expect(!TypedMessageKind(rawValue: 0).isCustom && !TypedMessageKind.recalled.isCustom)
    }

    @Test("name and size of a file are found in either place")
    func places() {
        let inside = TypedMessage(parsing: #"{"_lctype":-6,"_lcfile":{"metaData":{"name":"a","size":1}}}"#)?.file
        #expect(inside?.name == "a" && inside?.size == 1)
        let beside = TypedMessage(parsing: #"{"_lctype":-6,"_lcfile":{"name":"b","size":2.0,"metaData":{}}}"#)?.file
        #expect(beside?.name == "b" && beside?.size == 2)
        #expect(beside?.metadata == TypedMessageFileMetadata())
    }

    @Test(
        "members of another kind than expected stay as they are",
        arguments: [
            #"{"_lctype":-1,"_lctext":5}"#, #"{"_lctype":-1,"_lctext":"a","_lcattrs":null}"#,
            #"{"_lctype":-2,"_lcfile":"u"}"#, #"{"_lctype":-2,"_lcfile":{"url":1,"metaData":[]}}"#,
            #"{"_lctype":-2,"_lcfile":{"metaData":{"width":"w","size":1.5}}}"#,
            #"{"_lctype":-5,"_lcloc":{"latitude":1}}"#, #"{"_lctype":-101,"timestamp":"now"}"#,
        ])
    func odd(content: String) {
        #expect(TypedMessage(parsing: content)?.content == content)
    }

    @Test("whole numbers may have a point")
    func points() {
        #expect(TypedMessage(parsing: #"{"_lctype":-1.0,"_lctext":"a"}"#) == TypedMessage(.text, text: "a"))
        #expect(TypedMessage(parsing: #" {"_lctype":1e30}"#) == nil)
    }

    @Test(
        "other content is no typed message",
        arguments: [
            "", "hello", "{", "{}", "[]", "5", "null", #""{}""#, #"{"_lctype":"-1"}"#, #"{"_lctext":"a"}"#,
            #"{"_lctype":-1,"_lctype":-2}"#, #"{"_lctype":-1}}"#, #"{"_lctype":1.5}"#,
        ])
    func opaque(content: String) {
        #expect(TypedMessage(parsing: content) == nil)
    }

    @Test("content cut anywhere is no typed message", arguments: Self.samples.indices)
    func cuts(index: Int) {
        let content = Array(Self.samples[index].content.utf8)
        for count in content.indices {
            #expect(TypedMessage(parsing: String(decoding: content[..<count], as: UTF8.self)) == nil)
        }
    }
}
