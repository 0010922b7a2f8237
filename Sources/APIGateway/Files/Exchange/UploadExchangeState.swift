import APIKit
import ChatModel
import Transfers

/// Life of one request that brings bytes of a file, as a value: what happens goes in, what is to be done comes out.
///
/// It knows neither connection nor store nor engine: `UploadExchange` carries out its actions, in order, and tells it
/// what came of them. An answer may come when nobody waits for it any more; what it brought is given back then.
struct UploadExchangeState {
    /// Person in whose name the bytes come, and the conversation that they are for.
    struct Rights: Hashable {
        var caller: FileCaller
        var owner: UserID
        /// `nil` for none in particular.
        var conversation: ConversationID?
    }

    /// Upload whose file is complete.
    struct Complete: Hashable {
        var record: TransferRecord
        var file: FileRecord
    }

    enum Phase: Hashable {
        /// Waits: who asks?
        case proving
        /// Waits: who is the person that the manager uploads for?
        case findingOwner(FileCaller)
        /// Somebody asks who may upload.
        case admitted(Rights, Step)
        /// Refused: reads the rest of a short body, so that the connection can be used again.
        case refused(APIFailure)
        /// The link broke while an answer was awaited: waits for it, to give back what it brings.
        case abandoned
        case over
    }

    /// Step of a request whose sender may upload. While it waits the connection is not read.
    enum Step: Hashable {
        /// Reads a form up to the part that is the file: its name stands there.
        case seekingFile
        /// Waits for the engine to make the upload.
        case creating
        /// The upload stands and this request brings nothing of it: reads a body that has to be empty.
        indirect case created(TransferRecord)
        /// Waits for the engine to let the body into the upload.
        case opening
        /// Reads the body into the upload.
        case flowing
        /// Waits until the upload takes more.
        case blocked
        /// The body is whole: waits until it is on the disk.
        case ending
        /// Waits for the first bytes of a file of which neither sender nor name say the type.
        indirect case sampling(Complete)
        /// Waits until the type that those bytes say is kept with the file.
        indirect case keepingType(String, Complete)
        /// Waits until the file is somebody's picture.
        case settingPicture
        /// Waits until there is a link to read the file with.
        indirect case linking(Complete)
    }

    /// Thing that a request holds, and gives back when nothing comes of it.
    enum Holding: Hashable {
        /// Link that was promised to an app for its file: it may be tried again.
        case place(FileLinkKey)
        /// Upload that no later request can go on with.
        case upload(TransferKey, Actor)
        /// Way into the upload: what came through it stays where a later request can go on.
        case flow
    }

    /// Thing to be done.
    enum Action: Hashable {
        /// The connection is no stranger's: it may be kept for longer.
        case authenticate
        /// Answered by `foundOwner`.
        case findOwner(UserName, for: FileCaller)
        /// Answered by `created`.
        case create(UploadOrder, Rights)
        /// Answered by `opened`. `length`: bytes of the body, where all of it goes into the upload.
        case open(TransferKey, at: Int64, length: Int64?, UploadChecksum?, Actor)
        /// Work off what of the body is here, then read on.
        case takeBody
        /// Read the rest of a body that nobody wants.
        case drain
        /// Answered by `ended`.
        case endFlow
        /// Answered by `sampled`.
        case readBeginning(FileRecord)
        /// Answered by `keptType`.
        case keepType(String, of: FileKey)
        /// Answered by `setPicture`.
        case setPicture(PictureName, FileRecord, Actor)
        /// Answered by `linked`. `promised`: the link that an app has already; `nil` for a new one.
        case makeLink(FileRecord, promised: FileLinkKey?, ConversationID?)
        /// Refuse in the middle of the body, and close.
        case refuse(APIFailure)
        /// Answer after the end of the body.
        case answer(UploadAnswer)
        case giveBack(Holding)
        /// The request is over.
        case leave
    }

    /// Place for bytes that have come.
    enum Intake: Hashable {
        case flow
        case form
        /// Nobody wants them.
        case nowhere
        case refused([Action])
    }

    /// Wish for more of the body.
    enum Reading: Hashable {
        case reads
        case waits
        /// The connection may have another request by now.
        case isOver
    }

    /// Maximum bytes of a body that is read to its end although nobody wants it.
    static let shortBodyBytes: Int64 = 64 * 1024

    private(set) var order: UploadOrder
    private(set) var phase = Phase.proving
    /// Length of the body; `nil` when it comes in pieces of unknown number.
    private let length: Int64?
    /// Everything to be given back, in the order in which it came.
    private var held: [Holding] = []

    init(_ order: UploadOrder, length: Int64?) {
        self.order = order
        self.length = length
    }

    private var isForm: Bool { if case .form = self.order.kind { true } else { false } }

    private var isShort: Bool { self.length.map { $0 <= Self.shortBodyBytes } ?? false }

    var reading: Reading {
        switch self.phase {
        case .admitted(_, .seekingFile), .admitted(_, .created), .admitted(_, .flowing), .refused: .reads
        case .proving, .findingOwner, .admitted(_, .creating), .admitted(_, .opening), .admitted(_, .blocked),
            .admitted(_, .ending), .admitted(_, .sampling), .admitted(_, .keepingType), .admitted(_, .settingPicture),
            .admitted(_, .linking):
            .waits
        case .abandoned, .over: .isOver
        }
    }

    /// True while parts of a form can be worked off.
    var takesParts: Bool {
        switch self.phase {
        case .admitted(_, .seekingFile), .admitted(_, .flowing): true
        case .proving, .findingOwner, .admitted, .refused, .abandoned, .over: false
        }
    }

    // MARK: Who asks

    /// A token has been looked at, for a request without a link.
    mutating func proved(_ result: Result<FileCaller, APIFailure>) -> [Action] {
        guard case .proving = self.phase else { return self.giveBackLate() }
        switch result {
        case .failure(let failure): return self.refuse(failure)
        case .success(let caller):
            guard let name = self.order.owner else {
                return [.authenticate] + self.admit(Rights(caller: caller, owner: caller.actor.user))
            }
            guard caller.actor.isPrivileged else {
                return [.authenticate] + self.refuse(APIFailure(403, "only the manager uploads for others"))
            }
            self.phase = .findingOwner(caller)
            return [.authenticate, .findOwner(name, for: caller)]
        }
    }

    /// The request's link has been used: it is good for one upload, by whom and for what it was made.
    mutating func usedLink(_ result: Result<UploadLink, APIFailure>) -> [Action] {
        if case .success(let link) = result, link.announced != nil { self.held.append(.place(link.key)) }
        guard case .proving = self.phase else { return self.giveBackLate() }
        switch result {
        case .failure(let failure): return self.refuse(failure)
        case .success(let link):
            var caller = FileCaller(person: link.owner, link.transferClass)
            if let announced = link.announced {
                // What nobody in particular uploads is held by the bounds of the gateway that gave out the place.
                if link.owner == .system { caller = .app }
                self.order.announce(announced)
            }
            let rights = Rights(caller: caller, owner: link.owner, conversation: link.conversation)
            return [.authenticate] + self.admit(rights)
        }
    }

    /// The person has been looked up whom the manager uploads for; `nil` when there is none.
    mutating func foundOwner(_ result: Result<UserID?, APIFailure>) -> [Action] {
        guard case .findingOwner(let caller) = self.phase else { return self.giveBackLate() }
        switch result {
        case .failure(let failure): return self.refuse(failure)
        case .success(nil): return self.refuse(APIFailure(404, "there is no person by that uid"))
        case .success(let owner?): return self.admit(Rights(caller: caller, owner: owner))
        }
    }

    private mutating func admit(_ rights: Rights) -> [Action] {
        switch self.order.kind {
        case .append(let key, let offset): return self.open(key, at: offset, length: self.length, rights)
        case .create, .whole: return self.create(rights)
        case .form:
            self.phase = .admitted(rights, .seekingFile)
            return [.takeBody]
        }
    }

    // MARK: The upload

    /// The part of the form has begun that is the file.
    mutating func foundFile(name: String, mediaType: String) -> [Action] {
        guard case .admitted(let rights, .seekingFile) = self.phase else { return [] }
        self.order.name = name
        self.order.mediaType = mediaType
        return self.create(rights)
    }

    private mutating func create(_ rights: Rights) -> [Action] {
        self.phase = .admitted(rights, .creating)
        return [.create(self.order, rights)]
    }

    /// The engine has made the upload.
    ///
    /// - Parameter actor: who asked for it.
    mutating func created(_ result: Result<TransferRecord, APIFailure>, by actor: Actor) -> [Action] {
        if case .success(let record) = result, !self.order.canGoOn { self.held.append(.upload(record.key, actor)) }
        guard case .admitted(let rights, .creating) = self.phase else { return self.giveBackLate() }
        switch result {
        case .failure(let failure): return self.refuse(failure)
        case .success(let record):
            // An empty upload is complete when its first flow has ended.
            if case .create(bringsBytes: false) = self.order.kind, record.size != 0 {
                self.phase = .admitted(rights, .created(record))
                return [.takeBody]
            }
            return self.open(record.key, at: 0, length: nil, rights)
        }
    }

    private mutating func open(_ key: TransferKey, at offset: Int64, length: Int64?, _ rights: Rights) -> [Action] {
        self.phase = .admitted(rights, .opening)
        return [.open(key, at: offset, length: length, self.order.checksum, rights.caller.actor)]
    }

    /// The engine lets the body into the upload, or says why not.
    mutating func opened(_ result: Result<Void, APIFailure>) -> [Action] {
        if case .success = result { self.held.append(.flow) }
        guard case .admitted(let rights, .opening) = self.phase else { return self.giveBackLate() }
        switch result {
        case .failure(let failure): return self.refuse(failure)
        case .success:
            self.phase = .admitted(rights, .flowing)
            return [.takeBody]
        }
    }

    // MARK: The body

    /// Bytes of the body have come.
    mutating func received() -> Intake {
        switch self.phase {
        case .admitted(_, .flowing), .admitted(_, .blocked): return self.isForm ? .form : .flow
        case .admitted(_, .seekingFile): return .form
        case .admitted(_, .created): return .refused(self.refuse(Self.wrongType))
        case .proving, .findingOwner, .admitted(_, .creating), .admitted(_, .opening):
            guard !self.isForm else { return .form }
            // They were to be held back: where they belong is not known yet.
            self.phase = .abandoned
            return .refused([.refuse(Self.wrongType)])
        case .admitted(_, .ending), .admitted(_, .sampling), .admitted(_, .keepingType), .admitted(_, .settingPicture),
            .admitted(_, .linking), .refused, .abandoned, .over:
            return .nowhere
        }
    }

    private static let wrongType = APIFailure(
        415, "bytes of the upload come with the Content-Type \(TusFields.contentType)")

    /// The form is none.
    mutating func brokeForm(_ failure: APIFailure) -> [Action] { self.takesParts ? self.refuse(failure) : [] }

    /// The upload has enough in memory, or takes nothing ever again: then `failure` says why, which is `busy` when
    /// another request goes on in its place.
    mutating func filled(_ failure: TransferError?) -> [Action] {
        guard let rights = self.flowing else { return [] }
        if let failure { return self.refuse(APIFailure(failure)) }
        self.phase = .admitted(rights, .blocked)
        return []
    }

    /// The upload takes more, or nothing ever again. After the end of the body its answer says what there is to say.
    mutating func drained(_ failure: TransferError?) -> [Action] {
        guard let rights = self.flowing else { return [] }
        if let failure { return self.refuse(APIFailure(failure)) }
        self.phase = .admitted(rights, .flowing)
        return [.takeBody]
    }

    /// Rights of the body's sender while it flows or is held back.
    private var flowing: Rights? {
        switch self.phase {
        case .admitted(let rights, .flowing), .admitted(let rights, .blocked): rights
        case .proving, .findingOwner, .admitted, .refused, .abandoned, .over: nil
        }
    }

    // MARK: The end

    /// The body has come to its end.
    ///
    /// - Parameter failure: why the form is none; `nil` for a good one, and where there is none.
    mutating func completed(_ failure: APIFailure?) -> [Action] {
        switch self.phase {
        case .refused(let known): return self.fail(known)
        case .admitted(_, .created(let record)): return self.answer(record)
        case .admitted(let rights, .flowing), .admitted(let rights, .blocked):
            if let failure { return self.fail(failure) }
            self.phase = .admitted(rights, .ending)
            return [.endFlow]
        case .admitted(_, .seekingFile): return self.fail(failure ?? Self.lost)
        case .proving, .findingOwner, .admitted(_, .creating), .admitted(_, .opening):
            self.phase = .abandoned
            return [.answer(.failure(failure ?? Self.lost))]
        case .admitted(_, .ending), .admitted(_, .sampling), .admitted(_, .keepingType), .admitted(_, .settingPicture),
            .admitted(_, .linking), .abandoned, .over:
            return []
        }
    }

    private static let lost = APIFailure(500, "the server has lost the upload")

    /// Bytes that came are on the disk, or will never be.
    mutating func ended(_ result: Result<TransferView, APIFailure>) -> [Action] {
        guard case .admitted(let rights, .ending) = self.phase else { return [] }
        switch result {
        case .failure(let failure): return self.fail(failure)
        case .success(let view):
            guard view.record.state == .succeeded, let file = view.file else { return self.answer(view.record) }
            let complete = Complete(record: view.record, file: file)
            // Looked for before the answer: who asks next is told it.
            guard file.mediaType.isEmpty else { return self.answer(complete, rights) }
            self.phase = .admitted(rights, .sampling(complete))
            return [.readBeginning(file)]
        }
    }

    /// The first bytes of the file; `nil` when they cannot be read: it is complete all the same.
    mutating func sampled(_ sample: [UInt8]?) -> [Action] {
        guard case .admitted(let rights, .sampling(let complete)) = self.phase else { return [] }
        guard let sample, let type = MediaType.ofContent(sample) else { return self.answer(complete, rights) }
        self.phase = .admitted(rights, .keepingType(type, complete))
        return [.keepType(type, of: complete.file.key)]
    }

    /// - Parameter isKept: false when the store did not take the type; the file is complete all the same.
    mutating func keptType(_ isKept: Bool) -> [Action] {
        guard case .admitted(let rights, .keepingType(let type, var complete)) = self.phase else { return [] }
        if isKept { complete.file.mediaType = type }
        return self.answer(complete, rights)
    }

    /// Answers a request of tus, of which there may be more; a whole file has to be complete by now.
    private mutating func answer(_ record: TransferRecord) -> [Action] {
        switch self.order.kind {
        case .create: return self.finish(.created(record))
        case .append: return self.finish(.advanced(record))
        case .whole, .form: return self.fail(APIFailure(500, "the file is not complete"))
        }
    }

    private mutating func answer(_ complete: Complete, _ rights: Rights) -> [Action] {
        switch self.order.kind {
        case .create, .append: return self.answer(complete.record)
        case .whole, .form: break
        }
        if let picture = self.order.picture {
            self.phase = .admitted(rights, .settingPicture)
            return [.setPicture(picture, complete.file, rights.caller.actor)]
        }
        guard self.order.link != nil else { return self.finish(.file(complete.file, complete.record, link: nil)) }
        self.phase = .admitted(rights, .linking(complete))
        return [.makeLink(complete.file, promised: self.takePlace(), rights.conversation)]
    }

    /// The link that was promised to an app, once: from now on it is used.
    private mutating func takePlace() -> FileLinkKey? {
        for (index, holding) in self.held.enumerated() {
            guard case .place(let key) = holding else { continue }
            self.held.remove(at: index)
            return key
        }
        return nil
    }

    /// The store has made the file somebody's picture, or says why not.
    mutating func setPicture(_ failure: APIFailure?) -> [Action] {
        guard case .admitted(_, .settingPicture) = self.phase else { return [] }
        return failure.map { self.fail($0) } ?? self.finish(.pictureSet)
    }

    /// The store has made the link.
    mutating func linked(_ result: Result<FileLinkKey, APIFailure>) -> [Action] {
        guard case .admitted(_, .linking(let complete)) = self.phase else { return [] }
        switch result {
        case .failure(let failure): return self.fail(failure)
        case .success(let key): return self.finish(.file(complete.file, complete.record, link: key))
        }
    }

    private mutating func finish(_ answer: UploadAnswer) -> [Action] {
        self.phase = .over
        self.held = []
        return [.leave, .answer(answer)]
    }

    // MARK: Nothing comes of it

    /// The connection is gone before the body was whole: the link broke, the body came too slowly, or it was refused.
    mutating func cancelled() -> [Action] {
        switch self.phase {
        case .proving, .findingOwner, .admitted(_, .creating), .admitted(_, .opening):
            self.phase = .abandoned
            return []
        case .admitted(_, .seekingFile), .admitted(_, .created), .admitted(_, .flowing), .admitted(_, .blocked),
            .refused:
            self.phase = .over
            return self.giveBack() + [.leave]
        case .admitted(_, .ending), .admitted(_, .sampling), .admitted(_, .keepingType), .admitted(_, .settingPicture),
            .admitted(_, .linking), .abandoned, .over:
            return []
        }
    }

    /// Says no when no answer is awaited: at the end of a short body, in the middle of a long one.
    private mutating func refuse(_ failure: APIFailure) -> [Action] {
        guard !self.isShort else {
            self.phase = .refused(failure)
            return [.drain]
        }
        self.phase = .over
        // Who hears the refusal may send another request at once: the upload is free by then.
        return self.giveBack() + [.refuse(failure), .leave]
    }

    /// Says no at the end of the body.
    private mutating func fail(_ failure: APIFailure) -> [Action] {
        self.phase = .over
        return self.giveBack() + [.leave, .answer(.failure(failure))]
    }

    /// Gives back what an answer brought that nobody waits for.
    private mutating func giveBackLate() -> [Action] {
        switch self.phase {
        case .abandoned:
            self.phase = .over
            return self.giveBack() + [.leave]
        case .over: return self.giveBack()
        case .proving, .findingOwner, .admitted, .refused: return []
        }
    }

    /// Gives back everything that is held, the last thing first.
    private mutating func giveBack() -> [Action] {
        defer { self.held = [] }
        return self.held.reversed().map { .giveBack($0) }
    }
}
