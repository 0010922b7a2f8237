import APIKit
import ChatModel
import Testing
import Transfers
import Transport

@testable import APIGateway

@Suite("Doors for files: which request wants what")
struct FileRouteTests {
    static let file = FileKey(random: Array(0..<26))
    static let link = FileLinkKey(random: Array(0..<26))
    static let transfer = TransferKey(random: Array(0..<26))

    static func find(
        _ method: String, _ path: String, type: String? = nil, tus: String? = nil, override: String? = nil
    ) throws(APIFailure) -> FileRoute? {
        try FileRoute.find(
            FileRoute.Head(
                method: method, path: path, methodOverride: override, tusResumable: tus, contentType: type))
    }

    static func status(
        _ method: String, _ path: String, type: String? = nil, tus: String? = nil, override: String? = nil
    ) -> Int? {
        do throws(APIFailure) {
            _ = try Self.find(method, path, type: type, tus: tus, override: override)
            return nil
        } catch {
            return error.status
        }
    }

    @Test("every route by its method and path")
    func routes() throws {
        let (file, link, transfer) = (Self.file, Self.link, Self.transfer)
        let form = "multipart/form-data; boundary=x"
        #expect(try Self.find("OPTIONS", "/api/v1/files") == .tusOptions)
        #expect(try Self.find("OPTIONS", "/api/v1/uploads/\(transfer)") == .tusOptions)
        #expect(try Self.find("POST", "/api/v1/files", tus: "1.0.0") == .tusCreate)
        #expect(try Self.find("POST", "/api/v1/files/", tus: "1.0.0") == .tusCreate)
        #expect(try Self.find("POST", "/api/v1/files", type: form) == .form)
        #expect(try Self.find("PUT", "/api/v1/files") == .put(name: nil))
        #expect(try Self.find("PUT", "/api/v1/files/a%2Fb.txt") == .put(name: "a/b.txt"))
        #expect(try Self.find("HEAD", "/api/v1/uploads/\(transfer)", tus: "1.0.0") == .tusStatus(transfer))
        #expect(try Self.find("PATCH", "/api/v1/uploads/\(transfer)", tus: "1.0.0") == .tusAppend(transfer))
        #expect(try Self.find("DELETE", "/api/v1/uploads/\(transfer)", tus: "1.0.0") == .tusTerminate(transfer))
        for method in ["GET", "HEAD"] {
            #expect(try Self.find(method, "/api/v1/files/\(file)") == .download(file))
            #expect(try Self.find(method, "/api/v1/files/\(file)/%E4%BD%A0.txt") == .download(file))
            #expect(try Self.find(method, "/f/\(link)") == .downloadLink(link))
            #expect(try Self.find(method, "/f/\(link)/a.png") == .downloadLink(link))
            #expect(
                try Self.find(method, "/v1/" + APIPaths.preview(link, name: "\u{8336} /.png")) == .downloadLink(link))
        }
        #expect(try Self.find("DELETE", "/api/v1/files/\(file)") == .deleteFile(file))
        #expect(try Self.find("POST", "/f/\(link)", type: form) == .formLink(link))
        #expect(try Self.find("PUT", "/f/\(link)/a.png") == .putLink(link, name: "a.png"))
        #expect(try Self.find("GET", "/api/v1/transfers") == .transfers)
        #expect(try Self.find("GET", "/api/v1/transfers/\(transfer)") == .transfer(transfer))
        for change in FileRoute.TransferChange.allCases {
            let path = "/api/v1/transfers/\(transfer)/\(change.rawValue)"
            #expect(try Self.find("POST", path) == .change(transfer, change))
        }
    }

    @Test("X-HTTP-Method-Override stands in for the method of tus")
    func methodOverride() throws {
        let path = "/api/v1/uploads/\(Self.transfer)"
        #expect(try Self.find("POST", path, tus: "1.0.0", override: "PATCH") == .tusAppend(Self.transfer))
        #expect(try Self.find("GET", path, tus: "1.0.0", override: "DELETE") == .tusTerminate(Self.transfer))
        #expect(Self.status("PATCH", path, tus: "1.0.0", override: "PUT") == 405)
    }

    @Test(
        "paths of other doors",
        arguments: [
            "/", "/api/v1", "/api/v1/", "/api/v1/profiles", "/api/v1/filesystem", "/f", "/foo", "/v1/file/upload",
        ])
    func notMine(_ path: String) throws {
        #expect(try Self.find("GET", path) == nil)
    }

    @Test("what there is not, or not in this way")
    func refused() {
        let (file, link, transfer) = (Self.file, Self.link, Self.transfer)
        for path in [
            "/api/v1/files/th-fshort", "/api/v1/files/\(transfer)", "/api/v1/files/\(file)/a/b", "/f/\(file)", "/f/",
            "/api/v1/uploads", "/api/v1/uploads/\(file)", "/api/v1/transfers/\(transfer)/explode",
            "/api/v1/files/\(file.text.uppercased())", "/v1/file/preview/chat/a.png", "/f/\(link)/a/b",
            "/api/v1/files//",
        ] {
            #expect(Self.status("GET", path, tus: "1.0.0") == 404, "\(path)")
        }
        for path in [
            "/api/v1/files/\(file)", "/api/v1/files", "/api/v1/transfers", "/api/v1/transfers/\(transfer)",
            "/api/v1/uploads/\(transfer)", "/f/\(link)", "/api/v1/transfers/\(transfer)/cancel",
        ] {
            #expect(Self.status("TRACE", path) == 405, "\(path)")
        }
        #expect(Self.status("POST", "/api/v1/files") == 415)
        #expect(Self.status("POST", "/f/\(link)", type: "text/plain") == 415)
        #expect(Self.status("GET", "/api/v1/files/%zz") == 400)
        #expect(Self.status("DELETE", "/api/v1/files/\(file)/name") == 405)
    }

    @Test("only tus 1.0.0 is spoken", arguments: [nil, "0.2.2", "1.0", ""])
    func version(_ version: String?) {
        for method in ["HEAD", "PATCH", "DELETE"] {
            #expect(Self.status(method, "/api/v1/uploads/\(Self.transfer)", tus: version) == 412)
        }
        if version != nil { #expect(Self.status("POST", "/api/v1/files", tus: version) == 412) }
    }

    // MARK: What an upload's head says

    static func order(
        _ route: FileRoute, _ change: (inout UploadOrder.Head) -> Void
    ) throws(APIFailure) -> UploadOrder? {
        var head = UploadOrder.Head()
        change(&head)
        return try UploadOrder.read(route, head)
    }

    static func refusal(_ route: FileRoute, _ change: (inout UploadOrder.Head) -> Void) -> Int? {
        do throws(APIFailure) {
            _ = try Self.order(route, change)
            return nil
        } catch {
            return error.status
        }
    }

    @Test("tus: what is created")
    func create() throws {
        let metadata = "filename d29ybGRfZG9taW5hdGlvbl9wbGFuLnBkZg==,filetype YXBwbGljYXRpb24vcGRm,is_confidential"
        let order = try #require(
            try Self.order(.tusCreate) {
                $0.uploadLength = "100"
                $0.uploadMetadata = metadata
                $0.contentLength = "0"
            })
        #expect(order.kind == .create(bringsBytes: false))
        #expect(order.size == 100 && order.canGoOn)
        #expect(order.name == "world_domination_plan.pdf" && order.mediaType == "application/pdf")
        #expect(UploadOrder.uploadMetadata(order.metadata) == metadata)
        let withBytes = try Self.order(.tusCreate) {
            $0.uploadLength = "100"
            $0.contentType = TusFields.contentType
            $0.contentLength = "5"
        }
        #expect(withBytes?.kind == .create(bringsBytes: true))
        #expect(withBytes?.metadata == nil)
        #expect(UploadOrder.uploadMetadata(nil) == nil)
        #expect(UploadOrder.uploadMetadata(Array("{\"width\":3}".utf8)) == nil)
    }

    @Test("tus: what is wrong with a head")
    func wrongTus() {
        #expect(Self.refusal(.tusCreate) { _ in } == 400)
        #expect(Self.refusal(.tusCreate) { $0.uploadLength = "-1" } == 400)
        let cases: [(inout UploadOrder.Head) -> Void] = [
            { $0.uploadMetadata = "a b c" }, { $0.uploadMetadata = "a /w==" }, { $0.uploadChecksum = "crc32 AAAA" },
        ]
        for change in cases {
            let status = Self.refusal(.tusCreate) { head in
                head.uploadLength = "1"
                change(&head)
            }
            #expect(status == 400)
        }
        let wrongType = Self.refusal(.tusCreate) {
            $0.uploadLength = "9"
            $0.contentLength = "9"
            $0.contentType = "text/plain"
        }
        #expect(wrongType == 415)
        let append = FileRoute.tusAppend(Self.transfer)
        #expect(Self.refusal(append) { $0.uploadOffset = "0" } == 415)
        #expect(Self.refusal(append) { $0.contentType = TusFields.contentType } == 400)
        let wrongSum = Self.refusal(append) {
            $0.contentType = TusFields.contentType
            $0.uploadOffset = "0"
            $0.uploadChecksum = "sha1 AAAA"
        }
        #expect(wrongSum == 400)
    }

    @Test("tus: where it goes on")
    func append() throws {
        let order = try Self.order(.tusAppend(Self.transfer)) {
            $0.contentType = TusFields.contentType
            $0.uploadOffset = "70"
            $0.uploadChecksum = "md5 1B2M2Y8AsgTpgAmY7PhCfg=="
        }
        #expect(order?.kind == .append(Self.transfer, at: 70))
        #expect(order?.checksum?.algorithm == .md5)
    }

    @Test("whole files: name, type and size")
    func whole() throws {
        let order = try #require(
            try Self.order(.put(name: "path.txt")) {
                $0.contentLength = "12"
                $0.contentType = "text/plain"
                $0.query = HTTPQuery("uid=ann")
            })
        #expect(order.name == "path.txt" && order.size == 12 && order.mediaType == "text/plain" && !order.canGoOn)
        #expect(order.owner == UserName("ann"))
        let named = try Self.order(.put(name: nil)) {
            $0.isChunked = true
            $0.query = HTTPQuery("name=..%2Fa.txt")
        }
        #expect(named?.name == "../a.txt" && named?.size == nil)
        #expect(Self.refusal(.put(name: nil)) { _ in } == 411)
        let linked = try Self.order(.putLink(Self.link, name: "x")) { $0.contentLength = "1" }
        #expect(linked?.link == Self.link)
        #expect(
            Self.refusal(.put(name: nil)) { $0.query = HTTPQuery("uid=" + String(repeating: "x", count: 999)) } != nil)
    }

    @Test("more than a file may have is refused before a byte of it")
    func tooLong() {
        let status = Self.refusal(.put(name: nil)) {
            $0.contentLength = "11"
            $0.fileBytes = 10
        }
        #expect(status == 413)
        let tus = Self.refusal(.tusCreate) {
            $0.uploadLength = "11"
            $0.fileBytes = 10
        }
        #expect(tus == 413)
        let most = Self.refusal(.tusCreate) {
            $0.uploadLength = "10"
            $0.fileBytes = 10
        }
        #expect(most == nil)
    }

    @Test("what is drafted has a clean name and a type of bounded length")
    func draft() throws {
        var order = try #require(try Self.order(.put(name: "../../etc/passwd")) { $0.contentLength = "1" })
        order.mediaType = String(repeating: "x", count: 500)
        let draft = order.draft(by: .link, owner: UserID(rawValue: 7), provider: "objects")
        #expect(draft.name == "passwd" && draft.mediaType.isEmpty && draft.size == 1)
        #expect(draft.key != order.draft(by: .link, owner: UserID(rawValue: 7), provider: "objects").key)
    }

    // MARK: Words for failures

    @Test(
        "what an engine refuses, in numbers of HTTP",
        arguments: [
            (.notFound, 404), (.wrongOffset(3), 409), (.busy, 423), (.overloaded, 503), (.tooLong(limit: 1), 413),
            (.wrongChecksum, 460), (.cancelled, 410), (.over(.cancelled), 410), (.over(.failed), 410),
            (.over(.succeeded), 409), (.full, 507), (.damaged, 500), (.failed("secret"), 500), (.stopping, 503),
        ] as [(TransferError, Int)])
    func failures(_ error: TransferError, _ status: Int) {
        let failure = APIFailure(error)
        #expect(failure.status == status)
        #expect(!failure.message.contains("secret"))
        #expect((failure.retryAfterSeconds != nil) == (status == 503 || status == 423))
    }
}
