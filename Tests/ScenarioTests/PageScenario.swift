import ByteCodec
import Glibc
import TeahouseTesting
import Testing

/// The page in the browser, as its files come over a socket. `Tests/Page` drives it with a browser.
struct PageScenario {
    /// Files of the first screen: what `main.js` imports, with the texts of one language.
    static let firstScreen: Set<String> = [
        "page.css", "icon.svg", "main.js", "api.js", "i18n.js", "dom.js", "parts.js", "model.js", "feed.js",
        "sign-in.js",
        "list.js", "chat.js", "composer.js", "media.js", "uploads.js", "options.js", "zh.json",
    ]
    static let folder: String = {
        let here = "\(#filePath)".split(separator: "/").dropLast(3).joined(separator: "/")
        return "/\(here)/assets/page"
    }()

    static func names() throws -> [String] {
        let folder = try #require(opendir(Self.folder))
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    static func content(_ name: String) throws -> [UInt8] {
        let file = try #require(fopen("\(Self.folder)/\(name)", "r"))
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
        return bytes
    }

    func get(
        _ path: String, from server: TestServer, _ method: String = "GET", headers: [(String, String)] = []
    ) throws -> HTTPReply {
        try HTTPTestClient.ask(port: server.port, method, path, headers: headers)
    }

    /// The page as a browser asks for it, and the version in it.
    func first(from server: TestServer, headers: [(String, String)] = []) throws -> (reply: HTTPReply, version: String)
    {
        let html = ("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
        let reply = try self.get("/", from: server, headers: [html] + headers)
        let tag = try #require(reply.headers["etag"])
        return (reply, String(tag.dropFirst().prefix { $0 != "-" && $0 != "\"" }))
    }

    @Test("a browser gets the page, under a policy that lets nothing in but its own files")
    func page() throws {
        let server = try TestServer()
        let (reply, version) = try self.first(from: server)
        #expect(reply.status == 200 && reply.headers["content-type"] == "text/html; charset=utf-8")
        #expect(reply.text.contains("/page/\(version)/main.js") && !reply.text.contains("@version@"))
        #expect(version.utf8.count == 16)
        let policy = try #require(reply.headers["content-security-policy"])
        #expect(policy.hasPrefix("default-src 'none'; ") && policy.contains("require-trusted-types-for 'script'"))
        #expect(!policy.contains("unsafe") && !policy.contains("*") && policy.contains("frame-ancestors 'none'"))
        #expect(reply.headers["referrer-policy"] == "no-referrer")
        #expect(reply.headers["x-content-type-options"] == "nosniff")
        #expect(reply.headers["cache-control"] == "no-cache" && reply.headers["vary"] == "Accept, Accept-Encoding")
        // No inline script nor style, which the policy would refuse.
        #expect(!reply.text.contains("<style") && !reply.text.contains("style=") && !reply.text.contains("<script>"))
    }

    @Test("a program that asks for no HTML gets the text")
    func text() throws {
        let server = try TestServer()
        #expect(try self.get("/", from: server).headers["content-type"] == "text/plain; charset=utf-8")
        let anything = try self.get("/", from: server, headers: [("Accept", "*/*")])
        #expect(anything.headers["content-type"] == "text/plain; charset=utf-8")
    }

    /// A script, stylesheet or JSON as it is sent: without indentation, and lines of comments are empty.
    static func bare(_ script: [UInt8]) -> [UInt8] {
        let lines = String(decoding: script, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        return Array(
            lines.map { line in
                let text = line.drop { $0 == " " }
                return text.hasPrefix("//") || (text.hasPrefix("/*") && text.hasSuffix("*/")) ? "" : text
            }.joined(separator: "\n").utf8)
    }

    /// A stylesheet as it is sent: without the spaces that mean nothing.
    static func tight(_ style: [UInt8]) -> [UInt8] {
        let text = Array(String(decoding: style, as: UTF8.self))
        let kept = text.indices.filter { place in
            let isAfter = place > 0 && "{};:,\n".contains(text[place - 1])
            let isBefore = place + 1 < text.count && "{}".contains(text[place + 1])
            return text[place] != " " || !(isAfter || isBefore)
        }
        return Array(String(kept.map { text[$0] }).utf8)
    }

    @Test("no text of the stylesheet holds a space that is left out")
    func spaces() throws {
        for line in String(decoding: try Self.content("page.css"), as: UTF8.self).split(separator: "\n") {
            for (index, part) in line.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
            where index % 2 == 1 {
                #expect(Self.tight(Array(part.utf8)) == Array(part.utf8), "\(line)")
            }
        }
    }

    @Test("no text of a script goes over the end of a line, so that indentation and comments may be left out")
    func lines() throws {
        for name in try Self.names() where name.hasSuffix(".js") {
            let script = String(decoding: try Self.content(name), as: UTF8.self)
            for (number, line) in script.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
            where !line.drop(while: { $0 == " " }).hasPrefix("//") {
                #expect(line.count { $0 == "`" } % 2 == 0, "\(name):\(number + 1)")
            }
        }
    }

    @Test("every file of assets/page is in the binary, without comments and indentation, for a year")
    func files() throws {
        let server = try TestServer()
        let version = try self.first(from: server).version
        let names = try Self.names()
        #expect(names.contains("main.js") && names.contains("zh.json"))
        for name in names where name != "index.html" && name != "worker.js" {
            let reply = try self.get("/page/\(version)/\(name)", from: server)
            let content = try Self.content(name)
            let bare = [".js", ".css", ".json"].contains { name.hasSuffix($0) } ? Self.bare(content) : content
            let sent = name.hasSuffix(".css") ? Self.tight(bare) : bare
            #expect(reply.status == 200 && reply.body == sent, "\(name)")
            #expect(reply.headers["cache-control"] == "public, max-age=31536000, immutable")
            #expect(reply.headers["x-content-type-options"] == "nosniff")
        }
        let script = try self.get("/page/\(version)/main.js", from: server)
        #expect(script.headers["content-type"] == "text/javascript; charset=utf-8")
    }

    @Test("the service worker is asked for each time, at one address, and names the version and every other file")
    func worker() throws {
        let server = try TestServer()
        let version = try self.first(from: server).version
        let reply = try self.get("/worker.js", from: server)
        #expect(reply.status == 200 && reply.headers["content-type"] == "text/javascript; charset=utf-8")
        #expect(reply.headers["cache-control"] == "no-cache")
        #expect(reply.text.contains("'\(version)'"))
        #expect(!reply.text.contains("@version@") && !reply.text.contains("@files@"))
        for name in try Self.names() where name != "index.html" && name != "worker.js" {
            #expect(reply.text.contains(name), "\(name)")
        }
        #expect(try self.get("/page/\(version)/worker.js", from: server).status == 404)
        let policy = try #require(reply.headers["content-security-policy"])
        #expect(policy.contains("worker-src 'self'") && policy.contains("manifest-src 'self'"))
        let manifest = try self.get("/page/\(version)/app.webmanifest", from: server)
        #expect(manifest.headers["content-type"] == "application/manifest+json")
        #expect(try JSONValue(parsing: manifest.body).object != nil)
    }

    @Test("the page is small: 60 KB for the first screen, 100 KB with both languages, as gzip")
    func budget() throws {
        let server = try TestServer()
        let gzip = [("Accept-Encoding", "br, gzip")]
        let (reply, version) = try self.first(from: server, headers: gzip)
        #expect(reply.headers["content-encoding"] == "gzip" && reply.body.starts(with: [0x1F, 0x8B, 8]))
        var (first, all) = (reply.body.count, reply.body.count)
        for name in try Self.names() where name != "index.html" {
            let path = name == "worker.js" ? "/worker.js" : "/page/\(version)/\(name)"
            let reply = try self.get(path, from: server, headers: gzip)
            #expect(reply.headers["vary"] == "Accept-Encoding")
            all += reply.body.count
            if Self.firstScreen.contains(name) { first += reply.body.count }
        }
        #expect(first <= 60_000 && all <= 100_000, "\(first) for the first screen, \(all) in all")
    }

    @Test("what a browser has is not sent again; other versions and other names are not there")
    func caching() throws {
        let server = try TestServer()
        let version = try self.first(from: server).version
        #expect(try self.first(from: server, headers: [("If-None-Match", "\"\(version)\"")]).reply.status == 304)
        #expect(try self.first(from: server, headers: [("If-None-Match", "\"other\"")]).reply.status == 200)
        let head = try self.get("/page/\(version)/main.js", from: server, "HEAD")
        #expect(head.status == 200 && head.body.isEmpty)
        for path in ["0000000000000000/main.js", "\(version)/none.js", version, "\(version)/"] {
            #expect(try self.get("/page/\(path)", from: server).status == 404, "\(path)")
        }
    }

    @Test("both languages have the same texts with the same places")
    func texts() throws {
        let places = { (text: String) in
            // With the empty part before a brace that begins a text, so that its place counts too.
            let parts = text.split(separator: "{", omittingEmptySubsequences: false).dropFirst()
            return Set(parts.compactMap { $0.split(separator: "}").first.map(String.init) })
        }
        for (part, least) in [("", 100), ("-more", 50)] {
            let english = try Self.texts("en\(part).json")
            let chinese = try Self.texts("zh\(part).json")
            #expect(english.keys.sorted() == chinese.keys.sorted() && english.count > least)
            for (key, text) in english where !key.hasSuffix(".one") {
                #expect(places(text) == places(chinese[key] ?? ""), "\(key)")
            }
        }
    }

    static func texts(_ name: String) throws -> [String: String] {
        let value = try JSONValue(parsing: try Self.content(name))
        return Dictionary(uniqueKeysWithValues: (value.object ?? []).map { ($0.name, $0.value.string ?? "") })
    }
}
