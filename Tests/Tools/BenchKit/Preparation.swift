/// How a teahouse binary is started and told to make the accounts of a run: its whole command line is here.
package enum Preparation {
    /// Line of `teahouse serve` on standard output when it takes connections; the address follows.
    static let readyPrefix = "teahouse ready on "
    /// Time for making the accounts.
    static let accountSeconds = 120.0

    static func serveArguments(data: String, configuration: String?) -> [String] {
        let limits = configuration.map { ["--config", $0] } ?? []
        return ["serve", "--data", data, "--listen", "127.0.0.1:0"] + limits
    }

    /// Makes the people of a file, one name a line; prints a line "uid TAB token" for each.
    static func importArguments(data: String, file: String) -> [String] {
        ["ctl", "--data", data, "user", "import", file, "--device", "desktop"]
    }

    /// Makes a group of the people of a file. It has a title, too, by which LeanCloud's clients find it.
    static func groupArguments(data: String, group: String, file: String) -> [String] {
        ["ctl", "--data", data, "group", "create", group, "--title", group, "--members-file", file]
    }

    /// Lets LeanCloud's clients in who have no server that signs for them; prints the app as JSON.
    static func appArguments(data: String) -> [String] {
        ["ctl", "--data", data, "--json", "app", "policy", "--sign-in", "open", "--conversations", "off"]
    }

    /// The app's id in what `appArguments` prints.
    static func appID(in text: String) throws(BenchError) -> String {
        let id = Array(text.utf8).withUnsafeBytes { text in
            var key = KeyFinder(#""appId":""#)
            return key.end(in: text).flatMap { text.quoted(at: $0) }.map { String(decoding: $0, as: UTF8.self) }
        }
        guard let id, !id.isEmpty else { throw .server("teahouse does not tell the id of its app: \(text)") }
        return id
    }

    /// Reads lines "uid token", with a blank or a tab between; empty lines and lines that start with `#` are skipped.
    package static func accounts(from text: String) throws(BenchError) -> [Account] {
        var accounts: [Account] = []
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.isEmpty || line.hasPrefix("#") { continue }
            let words = line.split { $0 == " " || $0 == "\t" }
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
