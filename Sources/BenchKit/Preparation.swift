/// How a teahouse binary is started and told to make the accounts of a run: its whole command line is here.
package enum Preparation {
    /// What `teahouse serve` says on standard output when it takes connections; the address follows.
    static let readyPrefix = "teahouse ready on "
    /// Time for making the accounts.
    static let accountSeconds = 120.0

    static func serveArguments(data: String, configuration: String?) -> [String] {
        let limits = configuration.map { ["--config", $0] } ?? []
        return ["serve", "--data", data, "--listen", "127.0.0.1:0"] + limits
    }

    /// Makes people and, when somebody has to be in it, a group of the first of them; prints a line "uid token" for
    /// each person.
    static func accountArguments(data: String, users: Int, group: String, members: Int) -> [String] {
        let groupArguments = members > 0 ? ["--group", "\(group)=\(members)"] : []
        return ["ctl", "--data", data, "bench-accounts", "--users", String(users)] + groupArguments
    }

    /// Reads lines "uid token"; empty lines and lines that start with `#` are skipped.
    package static func accounts(from text: String) throws(BenchError) -> [Account] {
        var accounts: [Account] = []
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.isEmpty || line.hasPrefix("#") { continue }
            let words = line.split(separator: " ")
            guard words.count == 2 else { throw .usage("line \(number + 1) of the accounts is not \"uid token\"") }
            accounts.append(Account(user: String(words[0]), token: String(words[1])))
        }
        return accounts
    }

    /// Accounts for servers that take anybody. Names of one length keep the places of JSON keys the same.
    package static func inventedAccounts(_ count: Int) -> [Account] {
        (0..<count).map { Account(user: "u\(100_000 + $0)", token: "token") }
    }
}
