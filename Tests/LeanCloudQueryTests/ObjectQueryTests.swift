import ByteCodec
import Testing

@testable import LeanCloudQuery

struct ObjectQueryTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let query: String
        let row: String
        let isMatch: Bool

        init(_ query: String, _ row: String, _ isMatch: Bool) {
            self.query = query
            self.row = row
            self.isMatch = isMatch
        }

        var testDescription: String { "\(self.query) on \(self.row)" }
    }

    @Test(
        "equality",
        arguments: [
            Case(#"{}"#, #"{}"#, true),
            Case("", #"{"name":"a"}"#, true),
            Case(#"{"name":"a"}"#, #"{"name":"a"}"#, true),
            Case(#"{"name":"a"}"#, #"{"name":"b"}"#, false),
            Case(#"{"name":"a"}"#, #"{}"#, false),
            Case(#"{"name":"a"}"#, #"{"name":1}"#, false),
            Case(#"{"name":{"$eq":"a"}}"#, #"{"name":"a"}"#, true),
            Case(#"{"a":true}"#, #"{"a":true}"#, true),
            Case(#"{"a":true}"#, #"{"a":1}"#, false),
            Case(#"{"a":1}"#, #"{"a":true}"#, false),
            Case(#"{"a":1}"#, #"{"a":1.0}"#, true),
            Case(#"{"a":-0.0}"#, #"{"a":0}"#, true),
            // A double near it is not the integer.
            Case(#"{"a":9007199254740993}"#, #"{"a":9007199254740992.0}"#, false),
            Case(#"{"a":9007199254740992}"#, #"{"a":9007199254740992.0}"#, true),
            Case(#"{"a":9223372036854775807}"#, #"{"a":9223372036854775808.0}"#, false),
            // A value and an array that has it.
            Case(#"{"m":"Tom"}"#, #"{"m":["Bob","Tom"]}"#, true),
            Case(#"{"m":"Tom"}"#, #"{"m":["Bob"]}"#, false),
            Case(#"{"m":"Tom"}"#, #"{"m":[["Tom"]]}"#, false),
            Case(#"{"m":["Bob","Tom"]}"#, #"{"m":["Bob","Tom"]}"#, true),
            Case(#"{"m":["Tom","Bob"]}"#, #"{"m":["Bob","Tom"]}"#, false),
            Case(#"{"m":["Tom"]}"#, #"{"m":[["Tom"],1]}"#, true),
            // Objects, whole and in any order of their members.
            Case(#"{"attr":{"a":1,"b":[2]}}"#, #"{"attr":{"b":[2],"a":1}}"#, true),
            Case(#"{"attr":{"a":1}}"#, #"{"attr":{"a":1,"b":2}}"#, false),
            Case(#"{"attr":{}}"#, #"{"attr":{}}"#, true),
            Case(#"{"attr":{"a":1}}"#, #"{"attr":[{"a":1}]}"#, true),
            // All conditions hold.
            Case(#"{"a":1,"b":2}"#, #"{"a":1,"b":2}"#, true),
            Case(#"{"a":1,"b":2}"#, #"{"a":1,"b":3}"#, false),
            // Two spellings of one letter are two texts.
            Case(#"{"a":"\u00e9"}"#, #"{"a":"e\u0301"}"#, false),
            Case(#"{"a":{"$in":["\u00e9"]}}"#, #"{"a":"e\u0301"}"#, false),
            Case(#"{"\u00e9":1}"#, #"{"e\u0301":1}"#, false),
        ])
    func equality(test: Case) throws { #expect(try matches(test.query, test.row) == test.isMatch) }

    @Test(
        "null asks for null or nothing",
        arguments: [
            Case(#"{"a":null}"#, #"{}"#, true),
            Case(#"{"a":null}"#, #"{"a":null}"#, true),
            Case(#"{"a":null}"#, #"{"a":0}"#, false),
            Case(#"{"a":null}"#, #"{"a":[]}"#, false),
            Case(#"{"a":null}"#, #"{"a":[null]}"#, true),
            Case(#"{"a.b":null}"#, #"{"a":{}}"#, true),
            Case(#"{"a.b":null}"#, #"{"a":4}"#, true),
            Case(#"{"a.b":null}"#, #"{"a":[{"b":1},{}]}"#, true),
            Case(#"{"a.b":null}"#, #"{"a":[{"b":1}]}"#, false),
            Case(#"{"a":{"$ne":null}}"#, #"{"a":0}"#, true),
            Case(#"{"a":{"$ne":null}}"#, #"{}"#, false),
            Case(#"{"a":{"$in":[null,2]}}"#, #"{}"#, true),
            Case(#"{"a":{"$nin":[null]}}"#, #"{}"#, false),
            Case(#"{"a":{"$gte":null}}"#, #"{}"#, true),
            Case(#"{"a":{"$gt":null}}"#, #"{}"#, false),
            Case(#"{"a":{"$exists":true}}"#, #"{"a":null}"#, true),
            Case(#"{"a":{"$exists":true}}"#, #"{}"#, false),
            Case(#"{"a":{"$exists":false}}"#, #"{}"#, true),
            Case(#"{"a":{"$exists":false}}"#, #"{"a":1}"#, false),
            Case(#"{"a.b":{"$exists":true}}"#, #"{"a":{"b":false}}"#, true),
            Case(#"{"a.b":{"$exists":true}}"#, #"{"a":"b"}"#, false),
        ])
    func null(test: Case) throws { #expect(try matches(test.query, test.row) == test.isMatch) }

    @Test("the four comparisons differ at the bound, below and above it")
    func comparisons() throws {
        let results = try ["$lt", "$lte", "$gt", "$gte", "$ne", "$eq"].map { name in
            try [17, 18, 19].map { try matches(#"{"age":{"\#(name)":18}}"#, #"{"age":\#($0)}"#) }
        }
        #expect(
            results == [
                [true, false, false], [true, true, false], [false, false, true], [false, true, true],
                [true, false, true], [false, true, false],
            ])
    }

    @Test(
        "comparisons keep to one kind of value",
        arguments: [
            Case(#"{"age":{"$lt":18}}"#, #"{}"#, false),
            Case(#"{"age":{"$lt":18}}"#, #"{"age":"9"}"#, false),
            Case(#"{"age":{"$lt":18}}"#, #"{"age":null}"#, false),
            Case(#"{"age":{"$lt":18}}"#, #"{"age":17.999}"#, true),
            Case(#"{"age":{"$gt":17.5}}"#, #"{"age":18}"#, true),
            Case(#"{"age":{"$gt":-17.5}}"#, #"{"age":-17}"#, true),
            Case(#"{"age":{"$lt":-17.5}}"#, #"{"age":-17}"#, false),
            Case(#"{"a":{"$gt":9007199254740992.0}}"#, #"{"a":9007199254740993}"#, true),
            Case(#"{"a":{"$lt":9223372036854775808.0}}"#, #"{"a":9223372036854775807}"#, true),
            Case(#"{"a":{"$gte":-9223372036854775808.0}}"#, #"{"a":-9223372036854775808}"#, true),
            Case(#"{"a":{"$gt":-1e300}}"#, #"{"a":-9223372036854775808}"#, true),
            Case(#"{"age":{"$gt":10,"$lt":20}}"#, #"{"age":15}"#, true),
            Case(#"{"age":{"$gt":10,"$lt":20}}"#, #"{"age":25}"#, false),
            Case(#"{"name":{"$gt":"b"}}"#, #"{"name":"ba"}"#, true),
            Case(#"{"name":{"$gt":"b"}}"#, #"{"name":"B"}"#, false),
            Case(#"{"name":{"$lt":"\ud83d\ude00"}}"#, #"{"name":"\uffee"}"#, true),
            Case(#"{"scores":{"$gt":90}}"#, #"{"scores":[10,95]}"#, true),
            Case(#"{"scores":{"$gt":90}}"#, #"{"scores":[10,20]}"#, false),
            Case(#"{"a":{"$lte":true}}"#, #"{"a":false}"#, true),
        ])
    func kinds(test: Case) throws { #expect(try matches(test.query, test.row) == test.isMatch) }

    @Test(
        "lists",
        arguments: [
            Case(#"{"a":{"$in":[1,"x"]}}"#, #"{"a":"x"}"#, true),
            Case(#"{"a":{"$in":[1,"x"]}}"#, #"{"a":1.0}"#, true),
            Case(#"{"a":{"$in":[1,"x"]}}"#, #"{"a":2}"#, false),
            Case(#"{"a":{"$in":[1,"x"]}}"#, #"{}"#, false),
            Case(#"{"a":{"$in":[]}}"#, #"{"a":1}"#, false),
            Case(#"{"m":{"$in":["Tom","Eve"]}}"#, #"{"m":["Bob","Tom"]}"#, true),
            Case(#"{"a":{"$in":[[1]]}}"#, #"{"a":[1]}"#, true),
            Case(#"{"a":{"$nin":[1,"x"]}}"#, #"{"a":"x"}"#, false),
            Case(#"{"a":{"$nin":[1,"x"]}}"#, #"{"a":2}"#, true),
            Case(#"{"a":{"$nin":[1,"x"]}}"#, #"{}"#, true),
            Case(#"{"m":{"$nin":["Tom"]}}"#, #"{"m":["Bob","Tom"]}"#, false),
            Case(#"{"m":{"$ne":"Tom"}}"#, #"{"m":["Bob","Tom"]}"#, false),
            Case(#"{"m":{"$all":["Bob","Jerry"]}}"#, #"{"m":["Jerry","Tom","Bob"]}"#, true),
            Case(#"{"m":{"$all":["Bob","Jerry"]}}"#, #"{"m":["Tom","Bob"]}"#, false),
            Case(#"{"m":{"$all":["Bob"]}}"#, #"{"m":"Bob"}"#, true),
            Case(#"{"m":{"$all":[]}}"#, #"{"m":["Bob"]}"#, false),
            Case(#"{"m":{"$size":2}}"#, #"{"m":["Tom","Bob"]}"#, true),
            Case(#"{"m":{"$size":2}}"#, #"{"m":["Tom"]}"#, false),
            Case(#"{"m":{"$size":0}}"#, #"{"m":[]}"#, true),
            Case(#"{"m":{"$size":0}}"#, #"{}"#, false),
            Case(#"{"m":{"$size":3}}"#, #"{"m":"Tom"}"#, false),
            Case(#"{"m":{"$all":["a","b"],"$size":2}}"#, #"{"m":["b","a"]}"#, true),
            Case(#"{"m":{"$all":["a","b"],"$size":2}}"#, #"{"m":["b","a","c"]}"#, false),
        ])
    func lists(test: Case) throws { #expect(try matches(test.query, test.row) == test.isMatch) }

    @Test(
        "conditions in lists, and their opposites",
        arguments: [
            Case(#"{"$or":[{"a":1},{"b":2}]}"#, #"{"b":2}"#, true),
            Case(#"{"$or":[{"a":1},{"b":2}]}"#, #"{"b":3}"#, false),
            Case(#"{"$and":[{"a":1},{"b":2}]}"#, #"{"a":1,"b":2}"#, true),
            Case(#"{"$and":[{"a":1},{"b":2}]}"#, #"{"a":1}"#, false),
            Case(#"{"$nor":[{"a":1},{"b":2}]}"#, #"{"a":1}"#, false),
            Case(#"{"$nor":[{"a":1},{"b":2}]}"#, #"{}"#, true),
            Case(#"{"$or":[{"a":1,"b":1},{"$and":[{"c":1}]}],"d":1}"#, #"{"c":1,"d":1}"#, true),
            Case(#"{"$or":[{"a":1,"b":1},{"$and":[{"c":1}]}],"d":1}"#, #"{"a":1,"d":1}"#, false),
            Case(#"{"a":{"$not":{"$gt":5}}}"#, #"{"a":5}"#, true),
            Case(#"{"a":{"$not":{"$gt":5}}}"#, #"{"a":6}"#, false),
            Case(#"{"a":{"$not":{"$gt":5}}}"#, #"{}"#, true),
            Case(#"{"a":{"$not":{"$gt":1,"$lt":5}}}"#, #"{"a":7}"#, true),
            Case(#"{"a":{"$not":{"$gt":1,"$lt":5}}}"#, #"{"a":3}"#, false),
            Case(#"{"name":{"$not":{"$regex":"^a"}}}"#, #"{"name":"ab"}"#, false),
            Case(#"{"name":{"$not":{"$regex":"^A","$options":"i"}}}"#, #"{"name":"ab"}"#, false),
        ])
    func logic(test: Case) throws { #expect(try matches(test.query, test.row) == test.isMatch) }

    @Test(
        "keys lead into objects and through arrays of them",
        arguments: [
            Case(#"{"attr.type":"x"}"#, #"{"attr":{"type":"x"}}"#, true),
            Case(#"{"attr.type":"x"}"#, #"{"attr.type":"x"}"#, false),
            Case(#"{"attr.type":"x"}"#, #"{"attr":"x"}"#, false),
            Case(#"{"a.b.c":{"$gt":1}}"#, #"{"a":{"b":{"c":2}}}"#, true),
            Case(#"{"a.b":1}"#, #"{"a":[{"b":2},{"b":1}]}"#, true),
            Case(#"{"a.b":1}"#, #"{"a":[{"b":[1,2]}]}"#, true),
            Case(#"{"a.1":"y"}"#, #"{"a":["x","y"]}"#, true),
            Case(#"{"a.0":"y"}"#, #"{"a":["x","y"]}"#, false),
            Case(#"{"a.9":"y"}"#, #"{"a":["x","y"]}"#, false),
            Case(#"{"a.1.b":3}"#, #"{"a":[{"b":2},{"b":3}]}"#, true),
            Case(#"{"a.-1":"y"}"#, #"{"a":["x","y"]}"#, false),
            Case(#"{"__proto__":null}"#, #"{}"#, true),
            Case(#"{"__proto__.x":1}"#, #"{"__proto__":{"x":1}}"#, true),
        ])
    func dotted(test: Case) throws { #expect(try matches(test.query, test.row) == test.isMatch) }

    @Test(
        "dates are instants, also next to strings",
        arguments: [
            Case(
                #"{"lm":{"$gt":{"__type":"Date","iso":"2026-11-21T08:00:00.000Z"}}}"#,
                #"{"lm":{"__type":"Date","iso":"2026-11-21T08:00:00.001Z"}}"#, true),
            Case(
                #"{"lm":{"$gt":{"__type":"Date","iso":"2026-11-21T08:00:00.000Z"}}}"#,
                #"{"lm":{"__type":"Date","iso":"2026-11-21T08:00:00.000Z"}}"#, false),
            Case(
                #"{"lm":{"__type":"Date","iso":"2026-11-21T16:00:00+08:00"}}"#,
                #"{"lm":{"iso":"2026-11-21T08:00:00.000Z","__type":"Date"}}"#, true),
            Case(
                #"{"createdAt":{"$lte":{"__type":"Date","iso":"2026-11-21T16:00:00+08:00"}}}"#,
                #"{"createdAt":"2026-11-21T08:00:00.000Z"}"#, true),
            Case(
                #"{"createdAt":{"$lt":{"__type":"Date","iso":"2026-11-21T16:00:00+08:00"}}}"#,
                #"{"createdAt":"2026-11-21T08:00:00.000Z"}"#, false),
            Case(
                #"{"createdAt":{"$in":[{"__type":"Date","iso":"2026-11-21T08:00:00Z"}]}}"#,
                #"{"createdAt":"2026-11-21T08:00:00.000Z"}"#, true),
            Case(
                #"{"createdAt":{"$gt":"2026-11-21T07"}}"#, #"{"createdAt":"2026-11-21T08:00:00.000Z"}"#, true),
            Case(
                #"{"name":{"$gt":{"__type":"Date","iso":"2026-11-21T08:00:00Z"}}}"#, #"{"name":"z"}"#, false),
            Case(
                #"{"lm":{"$ne":{"__type":"Date","iso":"2026-11-21T08:00:00Z"}}}"#,
                #"{"lm":{"__type":"Date","iso":"2026-11-21T08:00:00.000Z"}}"#, false),
            Case(
                #"{"attr":{"due":{"__type":"Date","iso":"2026-11-21T08:00:00Z"}}}"#,
                #"{"attr":{"due":{"__type":"Date","iso":"2026-11-21T08:00:00.000Z"}}}"#, true),
        ])
    func dates(test: Case) throws { #expect(try matches(test.query, test.row) == test.isMatch) }

    @Test(
        "the instants of date texts",
        arguments: [
            ("1970-01-01T00:00:00.000Z", 0), ("1969-12-31T23:59:59.999Z", -1),
            ("2000-02-29T12:34:56.789Z", 951_827_696_789),
            ("2026-11-21T16:00:00+08:00", 1_795_248_000_000), ("2026-11-21T16:00:00+0800", 1_795_248_000_000),
            ("2026-11-21T08:00:00", 1_795_248_000_000), ("2026-11-21T08:00Z", 1_795_248_000_000),
            ("2026-11-21T08:00:00.12Z", 1_795_248_000_120), ("2026-11-21T08:00:00.1234567Z", 1_795_248_000_123),
            ("0001-01-01T00:00:00Z", -62_135_596_800_000), ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
        ] as [(String, Int64)])
    func instants(text: String, milliseconds: Int64) {
        #expect(ISOInstant.milliseconds(text) == milliseconds)
    }

    @Test(
        "texts that are no dates",
        arguments: [
            "", "2026", "2026-11-21", "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-13-01T00:00:00Z",
            "2026-00-01T00:00:00Z", "2026-04-31T00:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21T08:60:00Z",
            "2026-11-21T08:00:00.Z", "2026-11-21T08:00:00Zx", "2026-11-21T08:00:00+25:00",
            "2026-11-21T08:00:00.1234567890Z",
            "+026-11-21T08:00:00Z", "2026-11-21T08:00:61Z", "２０26-11-21T08:00:00Z",
        ])
    func noInstants(text: String) { #expect(ISOInstant.milliseconds(text) == nil) }

    @Test(
        "pointers are what they point to, places are their numbers",
        arguments: [
            Case(
                #"{"p":{"__type":"Pointer","className":"_User","objectId":"u1"}}"#,
                #"{"p":{"className":"_User","objectId":"u1","__type":"Pointer","nick":"x"}}"#, true),
            Case(
                #"{"p":{"__type":"Pointer","className":"_User","objectId":"u1"}}"#,
                #"{"p":{"__type":"Pointer","className":"_User","objectId":"u2"}}"#, false),
            Case(
                #"{"p":{"$in":[{"__type":"Pointer","className":"_User","objectId":"u1"}]}}"#,
                #"{"p":[{"__type":"Pointer","className":"_User","objectId":"u1"}]}"#, true),
            Case(
                #"{"at":{"__type":"GeoPoint","latitude":40,"longitude":-30}}"#,
                #"{"at":{"__type":"GeoPoint","longitude":-30.0,"latitude":40.0}}"#, true),
            Case(
                #"{"at":{"__type":"GeoPoint","latitude":40,"longitude":-30}}"#,
                #"{"at":{"__type":"GeoPoint","longitude":-30.5,"latitude":40.0}}"#, false),
        ])
    func typed(test: Case) throws { #expect(try matches(test.query, test.row) == test.isMatch) }

    @Test("places near another, and within a box")
    func places() throws {
        let beijing = #"{"at":{"__type":"GeoPoint","latitude":39.9042,"longitude":116.4074}}"#
        let shanghai = #"{"at":{"__type":"GeoPoint","latitude":31.2304,"longitude":121.4737}}"#
        let tianjin = #"{"at":{"__type":"GeoPoint","latitude":39.3434,"longitude":117.3616}}"#
        func near(_ rest: String, _ row: String) throws -> Bool {
            let center = #"{"__type":"GeoPoint","latitude":39.9042,"longitude":116.4074}"#
            return try matches(#"{"at":{"$nearSphere":\#(center)\#(rest)}}"#, row)
        }
        // They are some 103 and 1,068 kilometres away.
        #expect(try near("", shanghai))
        #expect(try !near("", "{}"))
        #expect(try !near("", #"{"at":"Beijing"}"#))
        #expect(try near(#","$maxDistanceInKilometers":110"#, tianjin))
        #expect(try !near(#","$maxDistanceInKilometers":110"#, shanghai))
        #expect(try !near(#","$maxDistanceInMiles":60"#, tianjin))
        #expect(try near(#","$maxDistanceInMiles":70"#, tianjin))
        #expect(try near(#","$maxDistanceInRadians":0.02"#, tianjin))
        #expect(try !near(#","$maxDistance":0.01"#, tianjin))
        #expect(try !near(#","$minDistanceInKilometers":1"#, beijing))
        #expect(try near(#","$maxDistanceInKilometers":0"#, beijing))

        let order = try #require(
            ObjectQuery(
                parsing: #"{"at":{"$nearSphere":{"__type":"GeoPoint","latitude":39.9042,"longitude":116.4074}}}"#
            ).nearest)
        #expect(order.order(of: try [shanghai, beijing, tianjin].map(json)) == [1, 2, 0])
        #expect(try ObjectQuery(parsing: #"{"a":1}"#).nearest == nil)

        func within(_ west: Int, _ east: Int, _ row: String) throws -> Bool {
            let corners = [(30, west), (40, east)].map {
                #"{"__type":"GeoPoint","latitude":\#($0.0),"longitude":\#($0.1)}"#
            }
            return try matches(#"{"at":{"$within":{"$box":[\#(corners.joined(separator: ","))]}}}"#, row)
        }
        #expect(try within(116, 122, beijing))
        #expect(try !within(117, 122, beijing))
        #expect(try within(117, 122, shanghai))
        // Across the date line.
        #expect(try within(121, -170, shanghai))
        #expect(try !within(121, -170, beijing))
    }

    @Test("comparing large values takes the effort that it costs")
    func effortOfObjects() throws {
        let row = #"{"attr":{"l":["# + repeatElement("1", count: 900).joined(separator: ",") + "]}}"
        func effort(_ query: String) throws -> Int {
            var effort = QueryEffort()
            _ = try ObjectQuery(parsing: query).matches(try json(row), effort: &effort)
            return QueryEffort.usualSteps - effort.remainingSteps
        }
        #expect(try effort(#"{"attr":{"l":1}}"#) > 900)
        #expect(try effort(#"{"attr.l":2}"#) > 900)
        #expect(try effort(#"{"attr.l.x":2}"#) > 900)
        #expect(try effort(#"{"attr.l":{"$in":[[1],[2]]}}"#) > 1800)
        #expect(try effort(#"{"attr":"x"}"#) < 10)
    }

    @Test(
        "regular expressions look into strings and arrays of strings",
        arguments: [
            Case(#"{"name":{"$regex":"\\Qa.b\\E"}}"#, #"{"name":"xa.by"}"#, true),
            Case(#"{"name":{"$regex":"\\Qa.b\\E"}}"#, #"{"name":"xacby"}"#, false),
            Case(#"{"name":{"$regex":"[\u4e00-\u9fa5]"}}"#, #"{"name":"chat 聊天"}"#, true),
            Case(#"{"name":{"$regex":"[\\u4e00-\\u9fa5]"}}"#, #"{"name":"chat"}"#, false),
            Case(#"{"name":{"$regex":"TOM","$options":"i"}}"#, #"{"name":"tom"}"#, true),
            Case(#"{"name":{"$options":"i","$regex":"TOM"}}"#, #"{"name":"tom"}"#, true),
            Case(#"{"name":{"$regex":"TOM"}}"#, #"{"name":"tom"}"#, false),
            Case(#"{"name":{"$regex":"^b","$options":"m"}}"#, #"{"name":"a\nb"}"#, true),
            Case(#"{"m":{"$regex":"^T"}}"#, #"{"m":["Bob","Tom"]}"#, true),
            Case(#"{"name":{"$regex":"1"}}"#, #"{"name":1}"#, false),
            Case(#"{"name":{"$regex":""}}"#, #"{}"#, false),
            Case(#"{"attr.title":{"$regex":"x","$ne":"x"}}"#, #"{"attr":{"title":"xx"}}"#, true),
        ])
    func regex(test: Case) throws { #expect(try matches(test.query, test.row) == test.isMatch) }

    @Test(
        "what is no query is refused with its reason",
        arguments: [
            ("[]", "not a JSON object"), ("1", "not a JSON object"), ("{", "ends too early"), ("{} {}", "follow"),
            (#"{"a":1,"a":2}"#, "same key twice"), (#"{"a":1,"\u0061":2}"#, "same key twice"),
            (#"{"$where":"this.a"}"#, "\"$where\" is not supported"),
            (#"{"a":{"$where":"1"}}"#, "\"$where\" is not supported"),
            (#"{"a":{"$inQuery":{"where":{}}}}"#, "\"$inQuery\" is not supported"),
            (#"{"a":{"$notInQuery":{}}}"#, "\"$notInQuery\" is not supported"),
            (#"{"a":{"$select":{}}}"#, "\"$select\" is not supported"),
            (#"{"a":{"$nearSphere":{}}}"#, "needs a GeoPoint"), (#"{"a":{"$within":{}}}"#, "needs a $box"),
            (#"{"a":{"$nearSphere":{"__type":"GeoPoint","latitude":91,"longitude":0}}}"#, "needs a GeoPoint"),
            (#"{"a":{"$within":{"$polygon":[]}}}"#, "needs a $box"),
            (#"{"a":{"$maxDistanceInKilometers":1}}"#, "\"$maxDistanceInKilometers\" is not supported"),
            (#"{"a":{"$elemMatch":{}}}"#, "\"$elemMatch\" is not supported"),
            (#"{"$relatedTo":{}}"#, "\"$relatedTo\" is not supported"), (#"{"$eq":1}"#, "\"$eq\" is not supported"),
            (#"{"$not":{"a":1}}"#, "\"$not\" is not supported"), (#"{"$":1}"#, "\"$\" is not supported"),
            (#"{"a":{"$gt":1,"b":2}}"#, "operators and plain values"),
            (#"{"a":{"b":1,"$gt":2}}"#, "operators and plain values"),
            (#"{"a":{"b":{"$gt":2}}}"#, "\"$gt\" stands inside of a value"),
            (#"{"a":{"$in":[{"$ne":1}]}}"#, "\"$ne\" stands inside of a value"),
            (#"{"a":{"$eq":{"$gt":""}}}"#, "\"$gt\" stands inside of a value"),
            (#"{"a":[{"$gt":""}]}"#, "\"$gt\" stands inside of a value"),
            (#"{"a.$gt":1}"#, "\"$gt\" stands where a key belongs"), (#"{"":1}"#, "empty name"),
            (#"{"a..b":1}"#, "empty name"), (#"{".":1}"#, "empty name"), (#"{"a.":1}"#, "empty name"),
            (#"{"a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q":1}"#, "too many dots"),
            (#"{"a":{"$in":1}}"#, "$in of the key \"a\" needs a list"),
            (#"{"a":{"$nin":{}}}"#, "$nin of the key \"a\" needs a list"),
            (#"{"a":{"$all":"x"}}"#, "$all of the key \"a\" needs a list"),
            (#"{"a":{"$size":"2"}}"#, "$size"), (#"{"a":{"$size":-1}}"#, "$size"), (#"{"a":{"$size":1.5}}"#, "$size"),
            (#"{"a":{"$exists":1}}"#, "$exists"), (#"{"a":{"$regex":1}}"#, "$regex"),
            (#"{"a":{"$regex":"a","$options":1}}"#, "$options"), (#"{"a":{"$options":"i"}}"#, "without $regex"),
            (#"{"a":{"$regex":"a","$options":"g"}}"#, "unknown option \"g\""),
            (#"{"a":{"$regex":"("}}"#, "a group is not closed"), (#"{"a":{"$not":5}}"#, "$not"),
            (#"{"a":{"$not":{}}}"#, "$not"), (#"{"a":{"$not":{"b":1}}}"#, "operators and plain values"),
            (#"{"$or":[]}"#, "not empty"), (#"{"$or":{}}"#, "not empty"), (#"{"$and":[1]}"#, "not an object"),
            (#"{"a":{"__type":"Date","iso":"yesterday"}}"#, "iso is not a date"),
            (#"{"a":{"$gt":{"__type":"Date"}}}"#, "iso is not a date"),
            (#"{"a":{"b":{"__type":"Date","iso":5}}}"#, "iso is not a date"),
        ])
    func refusals(query: String, expected: String) throws {
        let reason = try #require(refusal(of: query))
        #expect(reason.contains(expected))
    }

    @Test("an error shows no values, and names are short and on one line")
    func errorsAreQuiet() throws {
        let secret = try #require(refusal(of: #"{"a":{"$in":"secret"}}"#))
        #expect(!secret.contains("secret"))
        let long = try #require(refusal(of: "{\"$\(String(repeating: "x", count: 5000))\\n\":1}"))
        #expect(long.count < 200 && !long.contains("\n"))
        let line = try #require(refusal(of: #"{"$a\nb":1}"#))
        #expect(line.contains("\"$a?b\""))
    }

    @Test("each bound is kept, and one less passes")
    func bounds() throws {
        func nested(_ depth: Int) -> String {
            #"{"a":"# + String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1) + "}"
        }
        #expect(refusal(of: nested(16)) == nil)
        #expect(refusal(of: nested(17))?.contains("deeper than 16") == true)
        #expect(refusal(of: nested(10_000))?.contains("deeper than 16") == true)
        #expect(throws: ObjectQueryError.self) { try ObjectQuery(try json(nested(17))) }

        func list(_ count: Int) -> String {
            #"{"objectId":{"$in":["#
                + repeatElement(#""0123456789abcdef01234567""#, count: count).joined(separator: ",")
                + "]}}"
        }
        #expect(refusal(of: list(1000)) == nil)
        #expect(refusal(of: list(1001))?.contains("1001 items, 1000 are allowed") == true)
        #expect(refusal(of: list(5000))?.contains("bytes, 32768 are allowed") == true)

        func many(_ count: Int) -> String {
            "{" + (0..<count).map { "\"k\($0)\":1" }.joined(separator: ",") + "}"
        }
        #expect(refusal(of: many(256)) == nil)
        #expect(refusal(of: many(257))?.contains("more than 256 conditions") == true)
        let branches = "{\"$or\":[" + repeatElement(#"{"a":{"$gt":1}}"#, count: 90).joined(separator: ",") + "]}"
        #expect(refusal(of: branches)?.contains("more than 256 conditions") == true)
        let spaces = String(repeating: " ", count: ObjectQuery.maximumBytes)
        #expect(refusal(of: "{}" + spaces)?.contains("are allowed") == true)
    }

    @Test("the regular expressions of a query share their states")
    func sharedStates() throws {
        let pattern = #"{"a":{"$regex":"a{1500}"}}"#
        #expect(refusal(of: pattern) == nil)
        #expect(refusal(of: "{\"$or\":[\(pattern),\(pattern)]}") == nil)
        #expect(refusal(of: "{\"$or\":[\(pattern),\(pattern),\(pattern)]}")?.contains("4096 states") == true)
    }

    @Test("a query whose effort is spent says so rather than giving an answer")
    func effort() throws {
        let query = try ObjectQuery(parsing: #"{"$nor":[{"name":{"$regex":"(a|b)*c"}}]}"#)
        let row = JSONValue.object([.init("name", .string(String(repeating: "ab", count: 5000)))])
        var enough = QueryEffort()
        #expect(try query.matches(row, effort: &enough))
        let used = QueryEffort.usualSteps - enough.remainingSteps
        #expect(used > 10_000 && used < 500_000)
        var exact = QueryEffort(steps: used)
        #expect(try query.matches(row, effort: &exact))
        #expect(throws: ObjectQueryError.self) { try query.matches(row, effort: &exact) }
        var tooFew = QueryEffort(steps: used - 1)
        #expect(throws: ObjectQueryError.self) { try query.matches(row, effort: &tooFew) }
        #expect(tooFew.isSpent && tooFew.remainingSteps == 0)
    }

    @Test("a query of no conditions is known as such")
    func empty() throws {
        #expect(try ObjectQuery(parsing: "").isEmpty)
        #expect(try ObjectQuery(parsing: "{ }").isEmpty)
        #expect(try !ObjectQuery(parsing: #"{"a":1}"#).isEmpty)
    }
}

struct ObjectQueryHintsTests {
    private func hints(_ query: String) throws -> ObjectQueryHints { try ObjectQuery(parsing: query).hints }

    @Test("ids narrow each other, also inside of $and")
    func ids() throws {
        #expect(try self.hints(#"{"objectId":"a"}"#).objectIDs == ["a"])
        #expect(try self.hints(#"{"objectId":{"$eq":"a"}}"#).objectIDs == ["a"])
        #expect(try self.hints(#"{"objectId":{"$in":["a","b",1]}}"#).objectIDs == ["a", "b"])
        #expect(try self.hints(#"{"objectId":{"$in":["a","b"],"$eq":"b"}}"#).objectIDs == ["b"])
        #expect(try self.hints(#"{"$and":[{"objectId":"a"},{"objectId":"b"}]}"#).objectIDs == [])
        #expect(try self.hints(#"{"$and":[{"$and":[{"objectId":"a"}]},{"x":1}]}"#).objectIDs == ["a"])
        #expect(try self.hints(#"{"objectId":{"$in":[]}}"#).objectIDs == [])
        #expect(try self.hints(#"{"$or":[{"objectId":"a"}]}"#).objectIDs == ["a"])
    }

    @Test(
        "no hint where rows without the value could match",
        arguments: [
            #"{}"#, #"{"$or":[{"objectId":"a"},{"x":1}]}"#, #"{"$nor":[{"objectId":"a","m":"b","tr":false}]}"#,
            #"{"objectId":{"$ne":"a"}}"#, #"{"objectId":{"$nin":["a"]}}"#, #"{"objectId":{"$in":["a",null]}}"#,
            #"{"objectId":{"$not":{"$eq":"a"}}}"#, #"{"objectId":{"$gt":"a"}}"#, #"{"m":{"$in":["a","b"]}}"#,
            #"{"m":{"$ne":"a"}}"#, #"{"m.x":"a"}"#, #"{"attr.objectId":"a"}"#, #"{"tr":{"$ne":false}}"#,
            #"{"tr":{"$exists":true}}"#, #"{"tr":1}"#, #"{"uniqueId":{"$ne":"u"}}"#, #"{"uniqueId":null}"#,
        ])
    func none(query: String) throws { #expect(try self.hints(query) == ObjectQueryHints()) }

    @Test("members, kinds and the unique id")
    func others() throws {
        #expect(try self.hints(#"{"m":"Tom"}"#).members == ["Tom"])
        #expect(try self.hints(#"{"m":{"$all":["Bob","Jerry"]},"$and":[{"m":"Bob"}]}"#).members == ["Bob", "Jerry"])
        #expect(try self.hints(#"{"m":{"$in":["Tom"]}}"#).members == ["Tom"])
        #expect(try self.hints(#"{"tr":true}"#).isRoom == true)
        #expect(try self.hints(#"{"tr":false}"#).isRoom == false)
        #expect(try self.hints(#"{"tr":{"$ne":true}}"#).isRoom == false)
        #expect(try self.hints(#"{"sys":true,"tr":false}"#).isSystem == true)
        #expect(try self.hints(#"{"uniqueId":"u"}"#).uniqueID == "u")
    }
}
