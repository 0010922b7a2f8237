import ByteCodec
import Testing

@testable import LeanCloudQuery

struct ObjectSortTests {
    private func order(_ sort: String, _ rows: String) throws -> [Int] {
        let rows = try #require(try json(rows).array)
        return try ObjectSort(parsing: sort).order(of: rows)
    }

    @Test("kinds stand in their order, what is missing first")
    func kinds() throws {
        let rows = """
            [{"a":{"__type":"Date","iso":"2020-01-01T00:00:00Z"}},{"a":true},{"a":false},{"a":{"x":1}},{"a":"b"},{"a":"a"},
             {"a":2.5},{"a":2},{"a":null},{},{"a":[]},{"a":{"__type":"Date","iso":"2019-01-01T00:00:00Z"}}]
            """
        #expect(try self.order("a", rows) == [10, 8, 9, 7, 6, 5, 4, 3, 2, 1, 11, 0])
        #expect(try self.order("-a", rows) == [0, 11, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    }

    @Test("later keys decide between equal ones, and equal rows keep their order")
    func keys() throws {
        let rows = """
            [{"lm":1,"name":"b"},{"lm":2,"name":"z"},{"lm":1,"name":"a"},{"lm":1,"name":"b"},{"lm":2,"name":"y"}]
            """
        #expect(try self.order("-lm,name", rows) == [4, 1, 2, 0, 3])
        #expect(try self.order(" lm , -name ", rows) == [0, 3, 2, 1, 4])
        #expect(try self.order("", rows) == [0, 1, 2, 3, 4])
        #expect(try self.order("nothing", rows) == [0, 1, 2, 3, 4])
    }

    @Test("dates are instants, also those that are strings")
    func dates() throws {
        let rows = """
            [{"lm":{"__type":"Date","iso":"2026-01-01T10:00:00+08:00"},"createdAt":"2026-01-01T10:00:00+08:00"},
             {"lm":{"__type":"Date","iso":"2026-01-01T03:00:00.000Z"},"createdAt":"2026-01-01T03:00:00.000Z"},
             {"lm":{"__type":"Date","iso":"2026-01-01T01:00:00.000Z"},
              "createdAt":{"__type":"Date","iso":"2026-01-01T01:00:00.000Z"}}]
            """
        #expect(try self.order("lm", rows) == [2, 0, 1])
        #expect(try self.order("-createdAt", rows) == [1, 0, 2])
    }

    @Test("keys lead into objects; an array stands where its smallest or its largest element does")
    func places() throws {
        #expect(try self.order("attr.n", #"[{"attr":{"n":3}},{"attr":{"n":1}},{"attr":{}}]"#) == [2, 1, 0])
        let rows = #"[{"a":[5,1]},{"a":2},{"a":[3,4]}]"#
        #expect(try self.order("a", rows) == [0, 1, 2])
        #expect(try self.order("-a", rows) == [0, 2, 1])
        #expect(try self.order("a.n", #"[{"a":[{"n":9},{"n":2}]},{"a":{"n":1}},{"a":{"n":3}}]"#) == [1, 0, 2])
    }

    @Test("numbers are compared exactly, whatever their kind")
    func numbers() throws {
        let rows = #"[{"a":9007199254740993},{"a":9007199254740992.0},{"a":9007199254740991}]"#
        #expect(try self.order("a", rows) == [2, 1, 0])
    }

    @Test("what is no order is refused", arguments: ["a,,b", ",", "-", "a..b", "$a", "a,b,c,d,e,f,g,h,i"])
    func refusals(sort: String) {
        #expect(throws: ObjectQueryError.self) { try ObjectSort(parsing: sort) }
    }
}
