package import AdminAPI
package import CommandLineKit

/// The whole console as a value: keys and answers go in, requests and a picture come out. It touches neither the
/// terminal nor the server.
package struct Console: Sendable {
    /// Effect outside the console's values.
    package enum Effect: Sendable {
        /// Ask the server; the answer comes back with the number.
        case ask(id: Int64, AdminRequest, why: String?)
        /// Ask the server for a sign of life; the answer comes back with the number.
        case ping(id: Int64)
        /// Run `teahouse ctl` with these words, with these lines as its input.
        case run([String], input: [String])
        case copy(String)
        case beep
        case setMouse(Bool)
        /// Keep a line that was typed for the next time.
        case remember(String)
        /// Write a text into a new file.
        case save(path: String, text: String)
        case repaint
        case suspend
        case quit
    }

    /// Overlay over the screen.
    enum Overlay: Sendable {
        case page(Page)
        case confirmation(Confirmation)
        case form(Form)
        case selector(Selector)
    }

    /// Prompt at the bottom.
    enum Prompt: Sendable {
        case filter(TextField)
        case command(CommandLine)
    }

    /// A screen that was opened, with the number that its questions carry.
    struct Opened: Sendable {
        let number: Int
        var screen: any Screen
    }

    /// Asker of a request.
    enum Asker: Sendable {
        case screen(Int, purpose: Int)
        case watch(Int)
        case selector
        case operatorAction
        /// State that a change set, looked at again before it is taken back.
        case undoneState(AdminRequest)
        /// The answer matters to nobody.
        case nobody
    }

    /// An action in progress.
    struct Work: Sendable {
        let operatorAction: OperatorAction
        var waiting: [AdminRequest]
        var answers: [AdminAnswer] = []
        var failures: [AdminError] = []
        var underWay = 0
        /// Steps that led here.
        var steps: Steps
    }

    /// State of the connection to the server.
    enum Link: Sendable {
        case connecting
        case connected
        case lost(sinceMilliseconds: Int64, reason: String)
    }

    /// Maximum requests of one action in progress at once, so that the answers to other clients are not delayed.
    static let requestsAtOnce = 8
    /// The purpose of an answer to what a screen watches.
    static let watching = -1
    /// Time during which an action can be undone, milliseconds.
    static let undoMilliseconds: Int64 = 30_000

    /// Language, clock and formats of the person at the console.
    package var look: Look
    let place: String
    let commands: Command
    /// True when the operator asked to change nothing.
    let isReadOnly: Bool
    /// Role of the operator's account, as the server says.
    private(set) var role = OperatorRole.administrator
    let preferences: Preferences
    var stacks: [[Opened]]
    var current = 0
    var overlays: [Overlay] = []
    /// Forms and selectors that led to the overlay that is shown, as they were filled in.
    var steps = Steps()
    /// Steps that led to the command under way.
    private var runningSteps = Steps()
    var prompt: Prompt?
    var notice: StatusLine?
    var link = Link.connecting
    /// Time of the last line from the server, UTC milliseconds.
    private var heardAtMilliseconds: Int64 = 0
    /// Time at which it was asked for a sign of life; `nil` when it has said something since.
    private var pingedAtMilliseconds: Int64?
    /// True while the connection is open and the server says nothing.
    private(set) var isSilent = false
    var work: Work?
    var undo: Undo?
    /// An undo that waits for what is set now.
    var checkedUndo: CheckedUndo?
    var isMouseOn = true
    var isRunning = false
    /// Continuation after the command under way.
    private var rehearsal: (@Sendable (ExitCode, [String]) -> [Intent])?
    var askers: [Int64: Asker] = [:]
    /// Lines that were typed behind `:`, the newest last.
    var history: [String] = []
    /// Filters that were typed, the newest last.
    var filters: [String] = []
    /// Place in the filters while one is typed; `nil` at its own text.
    var filterPlace: Int?
    var refreshedAtMilliseconds: Int64 = 0
    private var lastID: Int64 = 0
    private var lastNumber: Int
    var effects: [Effect] = []
    var size = (rows: 24, columns: 80)

    /// - Parameters:
    ///   - place: the data folder, as the title shows it.
    ///   - commands: the table behind `:`, that of `teahouse ctl`.
    package init(
        look: Look, place: String, commands: Command, isReadOnly: Bool = false, preferences: Preferences = Preferences()
    ) {
        self.preferences = preferences
        self.look = look
        self.place = place
        self.commands = commands
        self.isReadOnly = isReadOnly
        self.stacks = ScreenList.all.enumerated().map { [Opened(number: $0, screen: $1.make())] }
        self.lastNumber = self.stacks.count
    }

    /// Says that the terminal is taken for another one.
    package mutating func tellFallback(from name: String) {
        self.notice = StatusLine(self.look("console.fallbackTerminal", ["name": name]), .refusal)
    }

    /// Takes the effects since the last call, for the loop to carry out.
    package mutating func takeEffects() -> [Effect] {
        defer { self.effects = [] }
        return self.effects
    }

    // MARK: The server

    /// Marks the connection as open, and asks for what the screen shows.
    ///
    /// - Parameter role: role of the operator's account there.
    package mutating func connected(as role: OperatorRole = .administrator) {
        self.role = role
        self.link = .connected
        self.hear()
        self.show()
    }

    /// The server does not answer: what is shown stays, marked with the time.
    package mutating func disconnected(_ reason: String) {
        if case .lost = self.link { return }
        self.isSilent = false
        self.pingedAtMilliseconds = nil
        self.link = .lost(sinceMilliseconds: self.look.nowMilliseconds, reason: reason)
        let asked = self.askers
        self.askers = [:]
        let error = AdminError(.connectionLost, self.look("console.lost"))
        for asker in asked.values { self.takeAnswer(.failure(error), for: asker) }
    }

    /// Takes one line of the server: an answer goes to the part that asked, an event to the screen.
    package mutating func receive(_ reply: AdminReply) {
        self.hear()
        switch reply {
        case .answer(let id, let answer):
            guard let asker = self.askers[id] else { return }
            if case .watch = asker {
                if case .failure = answer { self.askers[id] = nil }
            } else {
                self.askers[id] = nil
            }
            self.takeAnswer(answer, for: asker)
        case .event(let id, let event):
            guard case .watch(let number) = self.askers[id] else { return }
            self.change(number) { screen, look in screen.receive(event, look) }
        }
    }

    private mutating func takeAnswer(_ answer: Result<AdminAnswer, AdminError>, for asker: Asker) {
        let answer = answer.mapError { $0.worded { self.look($0, $1) } }
        switch asker {
        case .screen(let number, let purpose):
            var intents: [Intent] = []
            self.change(number) { screen, look in
                switch answer {
                case .success(let answer): intents = screen.receive(answer, purpose: purpose, look)
                case .failure(let error): intents = screen.fail(error, purpose: purpose, look)
                }
            }
            self.carryOut(intents, for: number)
            switch answer {
            case .failure(let error): self.reopen(because: error)
            // An answer to be read is the end of the way.
            case .success: if case .page? = self.overlays.last { self.steps = Steps() }
            }
        case .watch(let number):
            self.change(number) { screen, look in
                switch answer {
                case .success(let answer): _ = screen.receive(answer, purpose: Self.watching, look)
                case .failure(let error): _ = screen.fail(error, purpose: Self.watching, look)
                }
            }
        case .selector: self.giveSelector(answer)
        case .operatorAction: self.goOn(answer)
        case .undoneState(let request): self.compare(answer, with: request)
        case .nobody: break
        }
    }

    // MARK: A server that hangs

    /// Time without a word from the server after which it is asked for one, milliseconds.
    private static let quietMilliseconds: Int64 = 500
    /// Time for the answer, milliseconds. With a look once a second, a server that hangs is marked within two seconds.
    private static let answerMilliseconds: Int64 = 900

    private mutating func hear() {
        self.heardAtMilliseconds = self.look.nowMilliseconds
        self.pingedAtMilliseconds = nil
        self.isSilent = false
    }

    /// Time of the last line from a server that does not answer; `nil` for one that does.
    var silentSinceMilliseconds: Int64? { self.isSilent ? self.heardAtMilliseconds : nil }

    private mutating func lookForLife() {
        guard case .connected = self.link else { return }
        let now = self.look.nowMilliseconds
        if let askedAt = self.pingedAtMilliseconds {
            if now - askedAt >= Self.answerMilliseconds { self.isSilent = true }
        } else if now - self.heardAtMilliseconds >= Self.quietMilliseconds {
            self.lastID += 1
            self.pingedAtMilliseconds = now
            self.effects.append(.ping(id: self.lastID))
        }
    }

    private mutating func giveSelector(_ answer: Result<AdminAnswer, AdminError>) {
        guard let place = self.overlays.lastIndex(where: { if case .selector = $0 { true } else { false } }),
            case .selector(var selector) = self.overlays[place]
        else { return }
        switch answer {
        case .success(let answer):
            if let next = selector.receive(answer) { self.ask(next, .selector) }
        case .failure(let error):
            selector.fail()
            self.notice = StatusLine(error.message, .failure)
        }
        self.overlays[place] = .selector(selector)
    }

    private mutating func change(_ number: Int, _ body: (inout any Screen, Look) -> Void) {
        for stack in self.stacks.indices {
            for place in self.stacks[stack].indices where self.stacks[stack][place].number == number {
                body(&self.stacks[stack][place].screen, self.look)
            }
        }
    }

    /// Keeps the steps that led to the command that starts.
    mutating func keepRunningSteps() { self.runningSteps = self.takeSteps() }

    @discardableResult mutating func ask(_ request: AdminRequest, _ asker: Asker, why: String? = nil) -> Bool {
        guard case .connected = self.link else { return false }
        self.lastID += 1
        self.askers[self.lastID] = asker
        self.effects.append(.ask(id: self.lastID, request, why: why))
        return true
    }

    // MARK: Screens

    var top: Opened { self.stacks[self.current].last! }

    /// Runs `body` on the screen that is shown.
    mutating func withTop(_ body: (inout any Screen, Look) -> [Intent]) {
        let place = self.stacks[self.current].count - 1
        let number = self.stacks[self.current][place].number
        let intents = body(&self.stacks[self.current][place].screen, self.look)
        self.carryOut(intents, for: number)
    }

    /// Asks for everything that the shown screen shows.
    mutating func show() {
        guard case .connected = self.link else { return }
        let watching = self.askers.values.contains {
            if case .watch(let number) = $0 { number == self.top.number } else { false }
        }
        if !watching { for request in self.top.screen.watches { self.ask(request, .watch(self.top.number)) } }
        self.refresh()
    }

    mutating func refresh() {
        self.refreshedAtMilliseconds = self.look.nowMilliseconds
        self.withTop { screen, _ in screen.refresh() }
    }

    /// The numbers of the questions whose events still come.
    private func watched() -> [Int64] {
        self.askers.compactMap { id, asker in
            if case .watch = asker { id } else { nil }
        }
    }

    /// Ends what the shown screen watches.
    private mutating func leave() {
        for id in self.watched() {
            self.askers[id] = nil
            self.ask(.stopFollowing(id), .nobody)
        }
    }

    mutating func go(to number: Int) {
        guard self.stacks.indices.contains(number) else { return }
        // From a screen that was opened inside it, back to the list.
        if number == self.current {
            while self.stacks[number].count > 1, self.pop() {}
            return
        }
        self.leave()
        self.current = number
        self.show()
    }

    mutating func push(_ screen: any Screen) {
        self.leave()
        self.lastNumber += 1
        self.stacks[self.current].append(Opened(number: self.lastNumber, screen: screen))
        self.lay()
        self.show()
    }

    /// - Returns: false when this is the first screen of its stack.
    mutating func pop() -> Bool {
        guard self.stacks[self.current].count > 1 else { return false }
        self.leave()
        self.stacks[self.current].removeLast()
        self.lay()
        self.show()
        return true
    }

    // MARK: What screens want

    mutating func carryOut(_ intents: [Intent], for number: Int) {
        for intent in intents {
            switch intent {
            case .ask(let request, let purpose): self.ask(request, purpose, why: nil, for: number)
            case .askWhy(let request, let purpose, let why): self.ask(request, purpose, why: why, for: number)
            case .propose(let proposal): self.overlays.append(.confirmation(Confirmation(proposal)))
            case .perform(let operatorAction): self.perform(operatorAction)
            case .form(let form): self.overlays.append(.form(form))
            case .select(let selector): self.select(selector)
            case .open(let screen): self.push(screen)
            case .go(let number): self.go(to: number)
            case .page(let page): self.overlays.append(.page(page))
            case .tell(let notice): self.tellStatus(notice)
            case .run(let words, let input): self.start(words, input: input)
            case .rehearse(let words, let then):
                guard !self.isRunning else { return self.tellStatus(StatusLine(self.look("console.busy"), .refusal)) }
                self.rehearsal = then
                self.start(words, input: [])
            case .refresh: self.refresh()
            case .save(let path, let text): self.effects.append(.save(path: path, text: text))
            case .give(let values, let purpose):
                self.withTop { screen, look in screen.takeValues(values, purpose: purpose, look) }
            case .hide(let columns):
                self.withTop { screen, _ in
                    screen.hide(columns: columns)
                    return []
                }
            }
        }
    }

    private mutating func ask(_ request: AdminRequest, _ purpose: Int, why: String?, for number: Int) {
        guard !self.ask(request, .screen(number, purpose: purpose), why: why) else { return }
        let error = AdminError(.connectionLost, self.look("console.lost"))
        self.change(number) { screen, look in _ = screen.fail(error, purpose: purpose, look) }
    }

    /// Puts a selector over the screen.
    package mutating func select(_ selector: Selector) {
        var selector = selector
        if let request = selector.begin() { self.ask(request, .selector) }
        self.overlays.append(.selector(selector))
    }

    mutating func tellStatus(_ notice: StatusLine) {
        self.notice = notice
        if notice.tone != .news { self.effects.append(.beep) }
    }

    // MARK: Actions

    mutating func perform(_ operatorAction: OperatorAction) {
        if let reason = self.noChangeReason { return self.refuse(reason) }
        guard case .connected = self.link, !self.isSilent else { return self.refuse("console.lost") }
        if let least = operatorAction.requests.map(\.role).max(), least > self.role {
            return self.refuse("console.role.\(least.rawValue)")
        }
        if let words = operatorAction.run {
            guard !self.isRunning else { return self.refuse("console.busy") }
            self.start(words, input: operatorAction.input)
            return
        }
        guard self.work == nil else { return self.refuse("console.busy") }
        self.work = Work(
            operatorAction: operatorAction, waiting: operatorAction.requests.reversed(), steps: self.takeSteps())
        self.notice = StatusLine(self.look("console.working"))
        self.askMore()
    }

    /// Text key of the reason why nothing can be changed here; `nil` where changes can be asked for.
    var noChangeReason: String? {
        if self.isReadOnly { return "console.readOnly" }
        return self.role == .observer ? "console.role.readOnly" : nil
    }

    /// Does not begin a change: what led to it stays open.
    private mutating func refuse(_ key: String) {
        self.reopen(self.takeSteps(), because: self.look(key))
        self.tellStatus(StatusLine(self.look(key), .refusal))
    }

    private mutating func askMore() {
        while let work = self.work, work.underWay < Self.requestsAtOnce, let request = work.waiting.last {
            self.work?.waiting.removeLast()
            self.work?.underWay += 1
            if !self.ask(request, .operatorAction) {
                self.work?.underWay -= 1
                self.work?.failures.append(AdminError(.connectionLost, self.look("console.lost")))
            }
        }
        guard let work = self.work, work.underWay == 0, work.waiting.isEmpty else { return }
        self.work = nil
        self.finish(work)
    }

    private mutating func goOn(_ answer: Result<AdminAnswer, AdminError>) {
        guard self.work != nil else { return }
        self.work?.underWay -= 1
        switch answer {
        case .success(let answer): self.work?.answers.append(answer)
        case .failure(let error): self.work?.failures.append(error)
        }
        self.askMore()
    }

    private mutating func finish(_ work: Work) {
        if work.failures.isEmpty {
            self.notice = StatusLine(work.operatorAction.done)
            if let page = work.operatorAction.shows?(work.answers) { self.overlays.append(.page(page)) }
            if let undo = work.operatorAction.undo {
                self.offer(undo, of: work.operatorAction.requests)
            }
            self.clearMarks()
            self.seek(work.operatorAction.requests)
            if let screen = work.operatorAction.opens?(work.answers) { self.push(screen) }
        } else {
            let messages = work.failures.map(\.message)
            let values = ["failed": String(messages.count), "all": String(work.operatorAction.requests.count)]
            self.tellStatus(
                StatusLine(messages.count == 1 ? messages[0] : self.look("console.failed", values), .failure))
            // Where some of it is done, doing all of it again is no help.
            if work.answers.isEmpty { self.reopen(work.steps, because: messages[0]) }
            if messages.count > 1 {
                let lines = Set(messages).sorted().prefix(100).map { Line($0) }
                self.overlays.append(.page(Page(self.look("console.failed", values), lines)))
            }
        }
        self.refresh()
    }

    /// Puts the cursor on what was just made.
    private mutating func seek(_ requests: [AdminRequest]) {
        guard let name = requests.compactMap(\.createdName).last else { return }
        self.withTop { screen, _ in
            screen.seek(name)
            return []
        }
    }

    private mutating func clearMarks() {
        self.withTop { screen, look in
            screen.move(.unmark, look)
            return []
        }
    }

    /// A command that was typed has ended, or has a question first.
    package mutating func ran(_ outcome: CommandOutcome, words: [String], input: [String] = []) {
        self.isRunning = false
        self.notice = nil
        let (code, lines) = (outcome.code, outcome.lines)
        let steps = self.runningSteps
        self.runningSteps = Steps()
        if let then = self.rehearsal {
            self.rehearsal = nil
            self.steps = steps
            return self.carryOut(then(code, lines), for: self.top.number)
        }
        let words = words.first == Self.agreed ? Array(words.dropFirst()) : words
        if let question = outcome.question {
            self.steps = steps
            return self.propose(question, words, input)
        }
        if let undo = OperatorAction(takingBack: outcome.changes, done: self.look("console.undone")) {
            self.offer(undo, of: outcome.changes.map(\.request))
        }
        self.seek(outcome.changes.map(\.request))
        let text = lines.isEmpty ? [self.look("console.command.done")] : lines
        let tone: StatusLine.Tone = code == .done ? .news : .failure
        if code != .done, self.reopen(steps, because: text[0]) {
            self.tellStatus(StatusLine(text[0], tone))
        } else if text.count == 1 {
            self.tellStatus(StatusLine(text[0], tone))
        } else {
            let style: Style = code == .done ? .plain : .bad
            let shown = Cells.columns(text).map { Line($0, style) }
            self.overlays.append(.page(Page(Shell.line(words), shown, copied: text.joined(separator: "\n"))))
        }
        self.refresh()
    }

    /// Option of `ctl` by which the person has agreed already.
    private static let agreed = "--yes"

    /// The question of a command that was typed, like that of a key. Then the same command runs without it.
    private mutating func propose(_ question: Question, _ words: [String], _ input: [String]) {
        var operatorAction = OperatorAction([], commands: [words], done: "")
        operatorAction.run = [Self.agreed] + words
        operatorAction.input = input
        let proposal = Proposal(
            question.title, consequences: question.consequences, typed: question.typed, operatorAction: operatorAction)
        self.overlays.append(.confirmation(Confirmation(proposal)))
    }

    // MARK: Time

    /// Time has passed: what is to be asked for again is asked for, and what is over goes.
    package mutating func tick(nowMilliseconds: Int64) {
        self.look.nowMilliseconds = nowMilliseconds
        self.lookForLife()
        if let undo = self.undo, undo.untilMilliseconds <= nowMilliseconds { self.undo = nil }
        for place in self.overlays.indices {
            guard case .selector(var selector) = self.overlays[place] else { continue }
            selector.tick(nowMilliseconds: nowMilliseconds)
            self.overlays[place] = .selector(selector)
        }
        guard case .connected = self.link, let interval = self.top.screen.refreshMilliseconds else { return }
        let isAsked = self.askers.values.contains {
            if case .screen(let number, _) = $0 { number == self.top.number } else { false }
        }
        if !isAsked && nowMilliseconds - self.refreshedAtMilliseconds >= interval { self.refresh() }
    }
}

extension Console {
    /// Takes the lines that were typed before, `:` or `/` and the text, the newest last.
    package mutating func recall(_ lines: [String]) {
        self.history = lines.filter { $0.hasPrefix(":") }.map { String($0.dropFirst()) }
        self.filters = lines.filter { $0.hasPrefix("/") }.map { String($0.dropFirst()) }
    }

    /// Keeps a line that was typed, unless it is the last one again.
    mutating func remember(command line: String) {
        guard self.history.last != line else { return }
        self.history.append(line)
        self.effects.append(.remember(":" + line))
    }

    /// Keeps a filter that was typed, unless it is the last one again.
    mutating func remember(filter text: String) {
        guard !text.isEmpty, self.filters.last != text else { return }
        self.filters.append(text)
        self.effects.append(.remember("/" + text))
    }

    /// Tells how a table was saved.
    ///
    /// - Parameter failure: reason why not; `nil` when it is written.
    package mutating func saved(_ path: String, failure: String?) {
        guard let failure else {
            return self.tellStatus(StatusLine(self.look("console.save.done", ["path": path])))
        }
        let text = self.look("console.save.failed", ["path": path, "reason": failure])
        self.tellStatus(StatusLine(text, .failure))
    }
}

extension AdminRequest {
    /// Text by which the row of what the request makes is found; `nil` for one that makes no row.
    fileprivate var createdName: String? {
        if case .addUser(let user) = self { return user.name.text }
        if case .teams(.create(let team)) = self { return team.name.text }
        if case .conversationDetails(.createRoom(let name, _)) = self { return name.text }
        guard case .conversationDetails(.createDirect(let one, let other)) = self else { return nil }
        // In the order of the bytes, as the server names a conversation of two.
        let names = [one.text, other.text].sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        return names.joined(separator: ",")
    }
}
