import APIKit
import ChatModel
import Testing
import Transfers

@testable import APIGateway

private typealias State = UploadExchangeState
private typealias Actions = [UploadExchangeState.Action]

private let romeo = FileCaller(person: UserID(rawValue: 1), .attachment)
private let manager = FileCaller(.manager)
private let rights = State.Rights(caller: romeo, owner: UserID(rawValue: 1))
private let uploadKey = TransferKey(random: Array(0..<26))
private let fileKey = FileKey(random: Array(0..<26))
private let linkKey = FileLinkKey(random: Array(0..<26))
private let newLink = FileLinkKey(random: Array(26..<52))
private let upload = State.Holding.upload(uploadKey, romeo.actor)
private let busy = APIFailure(503, "the store is busy")
private let long: Int64 = 1 << 20

private func record(_ state: TransferState = .progressing, size: Int64? = 10, offset: Int64 = 0) -> TransferRecord {
    TransferRecord(
        id: TransferID(rawValue: 1), key: uploadKey, direction: .upload, transferClass: .attachment, state: state,
        owner: UserID(rawValue: 1), ownerName: UserName("romeo")!, file: fileKey, fileName: "a", mediaType: "",
        size: size, offset: offset, provider: "local", createdAtMilliseconds: 1, updatedAtMilliseconds: 1,
        expiresAtMilliseconds: nil)
}

private func file(_ mediaType: String = "image/png") -> FileRecord {
    FileRecord(
        id: FileID(rawValue: 1), key: fileKey, owner: UserID(rawValue: 1), ownerName: UserName("romeo")!, name: "a",
        mediaType: mediaType, size: 10, metadata: nil, state: .complete, object: nil, isDamaged: false, references: 0,
        createdAtMilliseconds: 1)
}

/// An upload whose file is complete.
private func complete(_ mediaType: String = "image/png") -> TransferView {
    TransferView(record: record(.succeeded, offset: 10), file: file(mediaType))
}

private func link(announced: UploadLink.Announced? = nil, of owner: Int64 = 1) -> UploadLink {
    var link = UploadLink(
        key: linkKey, owner: UserID(rawValue: owner), transferClass: .avatar,
        conversation: ConversationID(rawValue: 7), purpose: nil)
    link.announced = announced
    return link
}

private func order(_ kind: UploadOrder.Kind, _ change: (inout UploadOrder) -> Void = { _ in }) -> UploadOrder {
    var order = UploadOrder(kind: kind, size: 10)
    change(&order)
    return order
}

private let form = UploadOrder.Kind.form(contentType: "multipart/form-data; boundary=x")
private let append = UploadOrder.Kind.append(uploadKey, at: 4)

/// A request of romeo's whose body flows into its upload.
private func flowing(
    _ kind: UploadOrder.Kind = .whole, length: Int64? = long, _ change: (inout UploadOrder) -> Void = { _ in }
) -> State {
    var state = State(order(kind, change), length: length)
    _ = state.proved(.success(romeo))
    if case .form = kind { _ = state.foundFile(name: "a", mediaType: "image/png") }
    if case .append = kind {} else { _ = state.created(.success(record()), by: romeo.actor) }
    _ = state.opened(.success(()))
    precondition(state.phase == .admitted(rights, .flowing))
    return state
}

/// The same when its whole body has come.
private func ending(
    _ kind: UploadOrder.Kind = .whole, _ change: (inout UploadOrder) -> Void = { _ in }
) -> State {
    var state = flowing(kind, change)
    _ = state.completed(nil)
    precondition(state.phase == .admitted(rights, .ending))
    return state
}

/// Every phase that a request may be in, with one that is in it.
private enum Stage: CaseIterable {
    case proving, findingOwner, seekingFile, creating, created, opening, flowing, blocked
    case ending, sampling, keepingType, settingPicture, linking, refused, abandoned, over

    var state: State {
        var state: State
        switch self {
        case .proving: state = State(order(.whole), length: long)
        case .findingOwner:
            state = State(order(.whole) { $0.owner = UserName("juliet") }, length: long)
            _ = state.proved(.success(manager))
        case .seekingFile:
            state = State(order(form), length: long)
            _ = state.proved(.success(romeo))
        case .creating:
            state = State(order(.whole), length: long)
            _ = state.proved(.success(romeo))
        case .created:
            state = State(order(.create(bringsBytes: false)), length: nil)
            _ = state.proved(.success(romeo))
            _ = state.created(.success(record()), by: romeo.actor)
        case .opening:
            state = State(order(.whole), length: long)
            _ = state.proved(.success(romeo))
            _ = state.created(.success(record()), by: romeo.actor)
        case .flowing: state = APIGatewayTests.flowing()
        case .blocked:
            state = APIGatewayTests.flowing()
            _ = state.filled(nil)
        case .ending: state = APIGatewayTests.ending()
        case .sampling:
            state = APIGatewayTests.ending()
            _ = state.ended(.success(complete("")))
        case .keepingType:
            state = APIGatewayTests.ending()
            _ = state.ended(.success(complete("")))
            _ = state.sampled(Array("GIF89a".utf8))
        case .settingPicture:
            state = APIGatewayTests.ending(form) { $0.picture = .person(UserName("romeo")!) }
            _ = state.ended(.success(complete()))
        case .linking:
            state = State(order(.whole) { $0.link = linkKey }, length: long)
            _ = state.usedLink(.success(link()))
            _ = state.created(.success(record()), by: romeo.actor)
            _ = state.opened(.success(()))
            _ = state.completed(nil)
            _ = state.ended(.success(complete()))
        case .refused:
            state = APIGatewayTests.flowing(length: 10)
            _ = state.filled(.full)
        case .abandoned:
            state = State(order(.whole), length: long)
            _ = state.cancelled()
        case .over:
            state = APIGatewayTests.flowing()
            _ = state.cancelled()
        }
        return state
    }

    /// Answers of other threads that this phase waits for.
    var awaits: Bool {
        switch self {
        case .proving, .findingOwner, .creating, .opening: true
        case .seekingFile, .created, .flowing, .blocked, .ending, .sampling, .keepingType, .settingPicture, .linking,
            .refused, .abandoned, .over:
            false
        }
    }

    /// The body has come to its end, and nothing of it is refused.
    var isAfterBody: Bool {
        switch self {
        case .ending, .sampling, .keepingType, .settingPicture, .linking: true
        case .proving, .findingOwner, .seekingFile, .creating, .created, .opening, .flowing, .blocked, .refused,
            .abandoned, .over:
            false
        }
    }
}

@Suite("One upload's request as a value")
struct UploadExchangeStateTests {
    // MARK: The straight ways

    @Test("tus: an upload is made, opened, filled, and its answer says where it is")
    func creation() {
        let order = order(.create(bringsBytes: true))
        var state = State(order, length: 10)
        #expect(state.reading == .waits)
        #expect(state.proved(.success(romeo)) == [.authenticate, .create(order, rights)])
        #expect(
            state.created(.success(record()), by: romeo.actor) == [
                .open(uploadKey, at: 0, length: nil, nil, romeo.actor)
            ])
        #expect(state.reading == .waits)
        #expect(state.opened(.success(())) == [.takeBody])
        #expect(state.reading == .reads)
        #expect(state.received() == .flow)
        #expect(state.completed(nil) == [.endFlow])
        #expect(state.reading == .waits)
        let view = TransferView(record: record(offset: 5))
        #expect(state.ended(.success(view)) == [.leave, .answer(.created(view.record))])
        #expect(state.reading == .isOver)
    }

    @Test("tus: an upload without first bytes is made, and nothing is opened for it")
    func creationAlone() {
        var state = Stage.created.state
        #expect(state.phase == .admitted(rights, .created(record())))
        #expect(state.reading == .reads)
        #expect(state.completed(nil) == [.leave, .answer(.created(record()))])
    }

    @Test("tus: an empty upload is opened and ended, which completes it")
    func emptyUpload() {
        var state = State(order(.create(bringsBytes: false)), length: 0)
        _ = state.proved(.success(romeo))
        #expect(
            state.created(.success(record(size: 0)), by: romeo.actor)
                == [.open(uploadKey, at: 0, length: nil, nil, romeo.actor)])
        _ = state.opened(.success(()))
        #expect(state.completed(nil) == [.endFlow])
    }

    @Test("tus: an upload goes on where the request says, with the checksum of its body")
    func appending() {
        let checksum = UploadChecksum(algorithm: .md5, digest: [1, 2])
        var state = State(order(append) { $0.checksum = checksum }, length: 6)
        #expect(
            state.proved(.success(romeo))
                == [.authenticate, .open(uploadKey, at: 4, length: 6, checksum, romeo.actor)])
        #expect(state.opened(.success(())) == [.takeBody])
        _ = state.completed(nil)
        let done = complete()
        #expect(state.ended(.success(done)) == [.leave, .answer(.advanced(done.record))])
    }

    @Test("a whole file is answered with what it has become")
    func wholeFile() {
        var state = ending()
        let done = complete()
        #expect(state.ended(.success(done)) == [.leave, .answer(.file(file(), done.record, link: nil))])
    }

    @Test("a form's file has the name and type that stand inside the body")
    func formFile() {
        var state = Stage.seekingFile.state
        #expect(state.received() == .form && state.takesParts && state.reading == .reads)
        let named = order(form) {
            $0.name = "cat.png"
            $0.mediaType = "image/png"
        }
        #expect(state.foundFile(name: "cat.png", mediaType: "image/png") == [.create(named, rights)])
        #expect(!state.takesParts && state.reading == .waits)
        // What is here already stays here.
        #expect(state.received() == .form)
        _ = state.created(.success(record()), by: romeo.actor)
        #expect(state.opened(.success(())) == [.takeBody])
        #expect(state.takesParts && state.received() == .form)
        #expect(state.foundFile(name: "dog.png", mediaType: "") == [])
        #expect(state.completed(nil) == [.endFlow])
    }

    // MARK: Who asks

    @Test("whoever may not come in is refused: at once before a long body, after a short one")
    func stranger() {
        let failure = APIFailure(401, "no token")
        var state = State(order(.whole), length: long)
        #expect(state.proved(.failure(failure)) == [.refuse(failure), .leave])
        #expect(state.phase == .over)
        state = State(order(.whole), length: nil)
        #expect(state.proved(.failure(failure)) == [.refuse(failure), .leave])
        state = State(order(.whole), length: State.shortBodyBytes)
        #expect(state.proved(.failure(failure)) == [.drain])
        #expect(state.reading == .reads && state.received() == .nowhere)
        #expect(state.completed(nil) == [.leave, .answer(.failure(failure))])
    }

    @Test("the manager uploads for somebody, if there is one by that name; nobody else does")
    func forSomebody() {
        let juliet = UserName("juliet")!
        let order = order(.whole) { $0.owner = juliet }
        var state = State(order, length: long)
        #expect(state.proved(.success(manager)) == [.authenticate, .findOwner(juliet, for: manager)])
        var found = state
        let owner = UserID(rawValue: 2)
        #expect(
            found.foundOwner(.success(owner)) == [.create(order, State.Rights(caller: manager, owner: owner))])
        found = state
        let nobody = APIFailure(404, "there is no person by that uid")
        #expect(found.foundOwner(.success(nil)) == [.refuse(nobody), .leave])
        #expect(state.foundOwner(.failure(busy)) == [.refuse(busy), .leave])

        state = State(order, length: long)
        let forbidden = APIFailure(403, "only the manager uploads for others")
        #expect(state.proved(.success(romeo)) == [.authenticate, .refuse(forbidden), .leave])
    }

    @Test("a link uploads for whom and for what it was made")
    func byLink() {
        let order = order(.whole) { $0.link = linkKey }
        var state = State(order, length: long)
        let caller = FileCaller(person: UserID(rawValue: 1), .avatar)
        let rights = State.Rights(
            caller: caller, owner: UserID(rawValue: 1), conversation: ConversationID(rawValue: 7))
        #expect(state.usedLink(.success(link())) == [.authenticate, .create(order, rights)])
        _ = state.created(.success(record()), by: caller.actor)
        _ = state.opened(.success(()))
        _ = state.completed(nil)
        let done = complete()
        #expect(
            state.ended(.success(done)) == [.makeLink(file(), promised: nil, ConversationID(rawValue: 7))])
        var refused = state
        #expect(state.linked(.success(newLink)) == [.leave, .answer(.file(file(), done.record, link: newLink))])
        #expect(refused.linked(.failure(busy)).suffix(2) == [.leave, .answer(.failure(busy))])

        state = State(order, length: 10)
        #expect(state.usedLink(.failure(busy)) == [.drain])
    }

    @Test("a place that was promised to an app is used once; it is given back when nothing comes of it")
    func promisedPlace() {
        let announced = UploadLink.Announced(name: "cat.png", mediaType: "image/png", metadata: nil)
        var state = State(order(.whole) { $0.link = linkKey }, length: long)
        let named = order(.whole) {
            $0.link = linkKey
            $0.name = "cat.png"
            $0.mediaType = "image/png"
        }
        let rights = State.Rights(caller: .app, owner: .system, conversation: ConversationID(rawValue: 7))
        #expect(
            state.usedLink(.success(link(announced: announced, of: UserID.system.rawValue)))
                == [.authenticate, .create(named, rights)])
        var refused = state
        #expect(
            refused.created(.failure(busy), by: FileCaller.app.actor)
                == [.giveBack(.place(linkKey)), .refuse(busy), .leave])
        _ = state.created(.success(record()), by: FileCaller.app.actor)
        _ = state.opened(.success(()))
        var broken = state
        #expect(
            broken.cancelled() == [
                .giveBack(.flow), .giveBack(.upload(uploadKey, FileCaller.app.actor)), .giveBack(.place(linkKey)),
                .leave,
            ])
        _ = state.completed(nil)
        #expect(
            state.ended(.success(complete()))
                == [.makeLink(file(), promised: linkKey, ConversationID(rawValue: 7))])
        // The store has the link now, whatever it answers.
        #expect(!state.linked(.failure(busy)).contains(.giveBack(.place(linkKey))))
    }

    // MARK: The body

    @Test("a PATCH past the end is refused by the engine, and this request has held nothing of the upload")
    func pastTheEnd() {
        let tooLong = APIFailure(TransferError.tooLong(limit: 10))
        var state = State(order(append), length: long)
        #expect(
            state.proved(.success(romeo)) == [.authenticate, .open(uploadKey, at: 4, length: long, nil, romeo.actor)])
        #expect(state.opened(.failure(tooLong)) == [.refuse(tooLong), .leave])

        state = State(order(append), length: 7)
        _ = state.proved(.success(romeo))
        #expect(state.opened(.failure(tooLong)) == [.drain])
        #expect(state.received() == .nowhere)
        #expect(state.completed(nil) == [.leave, .answer(.failure(tooLong))])
    }

    @Test("what the upload does not take yet is not read, until it takes more")
    func backPressure() {
        var state = flowing()
        #expect(state.filled(nil) == [])
        #expect(state.reading == .waits && !state.takesParts)
        // Bytes that came in the same piece are handed over all the same.
        #expect(state.received() == .flow)
        #expect(state.filled(nil) == [])
        #expect(state.drained(nil) == [.takeBody])
        #expect(state.reading == .reads)
        // A call that was on its way.
        #expect(state.drained(nil) == [.takeBody])
        #expect(state.reading == .reads)
    }

    @Test(
        "another request that goes on in its place ends a request, and the upload stays",
        arguments: [false, true])
    func takenOver(_ isBlocked: Bool) {
        let failure = APIFailure(TransferError.busy)
        var state = flowing(append)
        if isBlocked { _ = state.filled(nil) }
        var pushing = state
        #expect(state.drained(.busy) == [.giveBack(.flow), .refuse(failure), .leave])
        #expect(pushing.filled(.busy) == [.giveBack(.flow), .refuse(failure), .leave])
        #expect(state.drained(.busy) == [] && state.cancelled() == [])
    }

    @Test("an upload that fails under a whole file is given up with it")
    func failedFlow() {
        var state = flowing()
        #expect(
            state.filled(.full)
                == [.giveBack(.flow), .giveBack(upload), .refuse(APIFailure(TransferError.full)), .leave])
        // A short body is read to its end first; what happens to the upload meanwhile changes nothing.
        state = Stage.refused.state
        #expect(state.filled(nil) == [] && state.drained(.cancelled) == [] && state.received() == .nowhere)
        #expect(
            state.completed(nil)
                == [.giveBack(.flow), .giveBack(upload), .leave, .answer(.failure(APIFailure(TransferError.full)))])
    }

    @Test("bytes for an upload that takes none in this request are refused")
    func bytesWithoutType() {
        var state = Stage.created.state
        let failure = APIFailure(415, "bytes of the upload come with the Content-Type \(TusFields.contentType)")
        #expect(state.received() == .refused([.refuse(failure), .leave]))
        #expect(state.received() == .nowhere && state.cancelled() == [])
    }

    @Test("a form that is none, or has no file, is refused and leaves nothing")
    func brokenForm() {
        let failure = APIFailure(400, "no form")
        var state = Stage.seekingFile.state
        #expect(state.brokeForm(failure) == [.refuse(failure), .leave])
        state = Stage.seekingFile.state
        #expect(state.completed(failure) == [.leave, .answer(.failure(failure))])
        state = flowing(form)
        #expect(state.brokeForm(failure) == [.giveBack(.flow), .giveBack(upload), .refuse(failure), .leave])
        state = flowing(form)
        #expect(
            state.completed(failure) == [.giveBack(.flow), .giveBack(upload), .leave, .answer(.failure(failure))])
        #expect(state.brokeForm(failure) == [])
    }

    // MARK: The end

    @Test("a body that does not reach the disk, or has a wrong checksum, is answered so")
    func failedEnd() {
        let failure = APIFailure(TransferError.wrongChecksum)
        var state = ending(append)
        #expect(state.ended(.failure(failure)) == [.giveBack(.flow), .leave, .answer(.failure(failure))])
        state = ending()
        #expect(
            state.ended(.failure(failure))
                == [.giveBack(.flow), .giveBack(upload), .leave, .answer(.failure(failure))])
    }

    @Test("a whole file that is not complete at its end is given up")
    func incompleteFile() {
        var state = ending()
        let failure = APIFailure(500, "the file is not complete")
        #expect(
            state.ended(.success(TransferView(record: record(offset: 5))))
                == [.giveBack(.flow), .giveBack(upload), .leave, .answer(.failure(failure))])
    }

    @Test("the type of a file that nobody named is found in its first bytes, before the answer")
    func sampledType() {
        var state = ending()
        let done = complete("")
        #expect(state.ended(.success(done)) == [.readBeginning(file(""))])
        let untyped: Actions = [.leave, .answer(.file(file(""), done.record, link: nil))]
        var unreadable = state
        #expect(unreadable.sampled(nil) == untyped)
        var unknown = state
        #expect(unknown.sampled([0, 1]) == untyped)
        #expect(state.sampled(Array("GIF89a".utf8)) == [.keepType("image/gif", of: fileKey)])
        var unkept = state
        #expect(unkept.keptType(false) == untyped)
        #expect(state.keptType(true) == [.leave, .answer(.file(file("image/gif"), done.record, link: nil))])

        // The last request of an upload by tus does the same.
        state = ending(append)
        #expect(state.ended(.success(done)) == [.readBeginning(file(""))])
        #expect(state.sampled(nil) == [.leave, .answer(.advanced(done.record))])
    }

    @Test("a picture is answered when it is somebody's")
    func picture() {
        let picture = PictureName.person(UserName("romeo")!)
        var state = ending(form) { $0.picture = picture }
        #expect(state.ended(.success(complete())) == [.setPicture(picture, file(), romeo.actor)])
        var refused = state
        #expect(state.setPicture(nil) == [.leave, .answer(.pictureSet)])
        #expect(refused.setPicture(busy).suffix(2) == [.leave, .answer(.failure(busy))])
    }

    // MARK: Out of turn

    @Test(
        "a link that breaks, or is too slow: what is held goes back, at once or with the awaited answer",
        arguments: Stage.allCases)
    private func brokenLink(_ stage: Stage) {
        var state = stage.state
        let expected: Actions
        switch stage {
        case .seekingFile, .created: expected = [.leave]
        case .flowing, .blocked, .refused: expected = [.giveBack(.flow), .giveBack(upload), .leave]
        case .proving, .findingOwner, .creating, .opening: expected = []
        // After the end of the body the answer finds nobody, and what came stays.
        case .ending, .sampling, .keepingType, .settingPicture, .linking, .abandoned, .over: expected = []
        }
        let before = state.phase
        #expect(state.cancelled() == expected)
        if stage.awaits {
            #expect(state.phase == .abandoned)
        } else {
            #expect(state.phase == (expected == [] ? before : .over))
        }
        #expect(stage.isAfterBody || state.reading == .isOver)
        // It is not said twice.
        #expect(state.cancelled() == [])
    }

    @Test("an answer that comes after the link broke is given back, and ends the request")
    func lateAnswers() {
        var state = Stage.proving.state
        _ = state.cancelled()
        #expect(state.proved(.success(romeo)) == [.leave])
        #expect(state.phase == .over && state.proved(.success(romeo)) == [])

        state = Stage.findingOwner.state
        _ = state.cancelled()
        #expect(state.foundOwner(.success(UserID(rawValue: 2))) == [.leave])

        state = Stage.creating.state
        _ = state.cancelled()
        var failed = state
        #expect(state.created(.success(record()), by: romeo.actor) == [.giveBack(upload), .leave])
        #expect(failed.created(.failure(busy), by: romeo.actor) == [.leave])

        state = Stage.opening.state
        _ = state.cancelled()
        failed = state
        #expect(state.opened(.success(())) == [.giveBack(.flow), .giveBack(upload), .leave])
        #expect(failed.opened(.failure(busy)) == [.giveBack(upload), .leave])

        state = State(order(.whole) { $0.link = linkKey }, length: long)
        _ = state.cancelled()
        let announced = UploadLink.Announced(name: "a", mediaType: "", metadata: nil)
        #expect(state.usedLink(.success(link(announced: announced))) == [.giveBack(.place(linkKey)), .leave])
    }

    @Test("an upload by tus stays when the link breaks: a later request goes on")
    func laterRequest() {
        var state = State(order(.create(bringsBytes: true)), length: long)
        _ = state.proved(.success(romeo))
        _ = state.cancelled()
        #expect(state.created(.success(record()), by: romeo.actor) == [.leave])
        state = flowing(append)
        #expect(state.cancelled() == [.giveBack(.flow), .leave])
    }

    @Test("an answer that comes after the end is given back", arguments: [Stage.over, .abandoned])
    private func answersAfterTheEnd(_ stage: Stage) {
        let leaves: Actions = stage == .abandoned ? [.leave] : []
        var state = stage.state
        #expect(state.created(.success(record()), by: romeo.actor) == [.giveBack(upload)] + leaves)
        state = stage.state
        #expect(state.opened(.success(())) == [.giveBack(.flow)] + leaves)
        #expect(state.ended(.success(complete())) == [] && state.sampled([1]) == [] && state.keptType(true) == [])
        #expect(state.setPicture(nil) == [] && state.linked(.success(newLink)) == [])
        #expect(state.phase == .over)
    }

    @Test("an answer to what was not asked changes nothing", arguments: Stage.allCases)
    private func unaskedAnswers(_ stage: Stage) {
        var state = stage.state
        let before = state.phase
        if stage != .ending { #expect(state.ended(.success(complete())) == []) }
        if stage != .sampling { #expect(state.sampled([1]) == []) }
        if stage != .keepingType { #expect(state.keptType(true) == []) }
        if stage != .settingPicture { #expect(state.setPicture(busy) == []) }
        if stage != .linking { #expect(state.linked(.failure(busy)) == []) }
        if stage != .seekingFile { #expect(state.foundFile(name: "b", mediaType: "") == []) }
        if stage != .flowing && stage != .blocked {
            #expect(state.filled(.full) == [] && state.drained(.full) == [] && state.drained(nil) == [])
        }
        if !state.takesParts { #expect(state.brokeForm(busy) == []) }
        #expect(state.phase == before)
    }

    @Test("bytes after the end of the body, or of the request, go nowhere", arguments: Stage.allCases)
    private func bytesAfterTheEnd(_ stage: Stage) {
        guard stage.isAfterBody || stage == .refused || stage == .abandoned || stage == .over else { return }
        var state = stage.state
        let before = state.phase
        #expect(state.received() == .nowhere)
        #expect(state.phase == before)
    }

    @Test(
        "bytes that come although they are held back are refused; what the awaited answer brings goes back",
        arguments: Stage.allCases)
    private func bytesBeforeTheirTime(_ stage: Stage) {
        guard stage.awaits else { return }
        var state = stage.state
        let failure = APIFailure(415, "bytes of the upload come with the Content-Type \(TusFields.contentType)")
        #expect(state.received() == .refused([.refuse(failure)]))
        // The refusal closes the connection, which says so.
        #expect(state.cancelled() == [])
        #expect(state.phase == .abandoned && state.reading == .isOver)
        if stage == .opening {
            #expect(state.opened(.success(())) == [.giveBack(.flow), .giveBack(upload), .leave])
        }
    }

    @Test(
        "a body that ends while an answer is awaited is answered, and the answer given back",
        arguments: Stage.allCases)
    private func endBeforeTheAnswer(_ stage: Stage) {
        guard stage.awaits else { return }
        var state = stage.state
        #expect(state.completed(nil) == [.answer(.failure(APIFailure(500, "the server has lost the upload")))])
        #expect(state.phase == .abandoned)
        #expect(state.completed(nil) == [])
        if stage == .creating {
            #expect(state.created(.success(record()), by: romeo.actor) == [.giveBack(upload), .leave])
        }
    }

    @Test("the end of the body is told once", arguments: Stage.allCases)
    private func secondEnd(_ stage: Stage) {
        guard stage.isAfterBody else { return }
        var state = stage.state
        let before = state.phase
        #expect(state.completed(nil) == [] && state.completed(busy) == [])
        #expect(state.phase == before)
    }
}
