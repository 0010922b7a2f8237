import Testing

@testable import BenchKit

@Suite struct OptionParserTests {
    private func parse(_ line: String) throws -> Options {
        try OptionParser.parse(line.split(separator: " ").map(String.init))
    }

    @Test("the defaults of every scenario")
    func defaults() throws {
        let options = try self.parse("pairs fanout idle signin catchup --reference bare")
        #expect(
            options.scenarios == [
                .pairs(pairs: 100, window: 16), .fanOut(members: 500, senders: 1, window: 32),
                .idle(connections: 5_000), .signIn(connections: 5_000), .catchUp(messages: 10_000),
            ])
        #expect(options.servers == [.bare])
        #expect(options.users == 5_000)
        #expect(options.groupMembers == 500)
    }

    @Test("all is what the budgets are about")
    func all() throws {
        let options = try self.parse("run all --reference log")
        #expect(
            options.scenarios == [
                .pairs(pairs: 100, window: 16), .pairs(pairs: 100, window: 1),
                .fanOut(members: 500, senders: 1, window: 32), .fanOut(members: 500, senders: 10, window: 32),
                .signIn(connections: 5_000), .idle(connections: 5_000), .catchUp(messages: 10_000),
            ])
    }

    @Test("lists of windows and senders give one scenario each")
    func lists() throws {
        let options = try self.parse("pairs fanout --pairs 3 --window 1,4 --senders 2,5 --members 9 --reference bare")
        #expect(
            options.scenarios == [
                .pairs(pairs: 3, window: 1), .pairs(pairs: 3, window: 4),
                .fanOut(members: 9, senders: 2, window: 1), .fanOut(members: 9, senders: 2, window: 4),
                .fanOut(members: 9, senders: 5, window: 1), .fanOut(members: 9, senders: 5, window: 4),
            ])
    }

    @Test("servers come in a fixed order, the one to be judged first")
    func servers() throws {
        let options = try self.parse(
            "pairs --reference bare --target 127.0.0.1:7677 --server-pid 42 --server ./teahouse --config b.toml")
        #expect(
            options.servers == [
                .teahouse(binary: "./teahouse", configuration: "b.toml"),
                .target(Endpoint(port: 7677), process: 42), .bare,
            ])
    }

    @Test(
        "how teahouse is spoken to, in the order of the words; the references have their own protocols",
        arguments: [
            ("", [.json]), ("--protocol wukong-json", [.json]), ("--protocol wukong-binary", [.binary]),
            ("--protocol both", [.json, .binary]), ("--protocol leancloud", [.leanCloud]),
            ("--protocol wukong-json,leancloud", [.json, .leanCloud]),
            ("--protocol all", [.json, .binary, .leanCloud]),
            ("--protocol leancloud,wukong-binary", [.leanCloud, .binary]),
        ] as [(String, [ClientProtocol])])
    func encodings(_ words: String, _ encodings: [ClientProtocol]) throws {
        let options = try self.parse(
            "pairs --server ./teahouse --target 127.0.0.1:7677 --app-id x --reference bare \(words)")
        #expect(options.appID == "x")
        let started = encodings.map { ServerChoice.teahouse(binary: "./teahouse", configuration: nil, encoding: $0) }
        let running = encodings.map { ServerChoice.target(Endpoint(port: 7677), process: nil, encoding: $0) }
        #expect(options.servers == started + running + [.bare])
        #expect(Set(options.servers.map(\.name)).count == options.servers.count)
    }

    @Test("the share of messages whose keys are checked")
    func keyChecks() throws {
        #expect(try self.parse("pairs --reference bare").keyCheckInterval == 64)
        #expect(try self.parse("pairs --reference bare --verify-keys 1/1").keyCheckInterval == 1)
    }

    @Test("times and texts")
    func others() throws {
        let options = try self.parse(
            "pairs --reference bare --seconds 0.25 --warm-up 0 --rounds 1 --json --users u.txt --group g --folder /x")
        #expect(options.bounds.measuredSeconds == 0.25)
        #expect(options.bounds.warmUpSeconds == 0)
        #expect(options.rounds == 1)
        #expect(options.json)
        #expect(options.usersFile == "u.txt")
        #expect(options.group == "g")
        #expect(options.workFolder == "/x")
    }

    @Test(
        "refuses what makes no sense",
        arguments: [
            "", "pairs", "--reference bare", "pears --reference bare", "pairs --reference best",
            "pairs --reference bare --window 0", "pairs --reference bare --window 1,",
            "pairs --reference bare --window",
            "pairs --reference bare --wnidow 1", "pairs --target localhost", "pairs --target 127.0.0.1:0",
            "pairs --target 300.0.0.1:80", "fanout --reference bare --senders 11 --members 10",
            "pairs --reference bare --seconds 1e9", "pairs --reference bare --protocol wukong-tcp",
            "pairs --reference bare --protocol leancloud,leancloud", "pairs --reference bare --protocol leancloud,",
            "pairs --target 127.0.0.1:7677 --protocol leancloud", "pairs --reference bare --app-id",
            "pairs --reference bare --verify-keys 64", "pairs --reference bare --verify-keys 1/0",
        ])
    func refused(_ line: String) {
        #expect { try self.parse(line) } throws: { error in
            if case .usage? = error as? BenchError { true } else { false }
        }
    }

    @Test("accounts are lines of a user and a token")
    func accounts() throws {
        #expect(
            try Preparation.accounts(from: "# people\na t1\n\nb t2\n")
                == [Account(user: "a", token: "t1"), Account(user: "b", token: "t2")])
        #expect(throws: BenchError.usage("line 2 of the accounts is not \"uid token\"")) {
            try Preparation.accounts(from: "a t1\nb\n")
        }
    }
}
