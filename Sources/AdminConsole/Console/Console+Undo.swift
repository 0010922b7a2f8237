import AdminAPI

extension Console {
    /// A change that can be taken back for a time.
    struct Undo: Sendable {
        var operatorAction: OperatorAction
        /// Requests that made the change.
        var made: [AdminRequest]
        var untilMilliseconds: Int64
    }

    /// An undo before which what the change set is looked at again.
    struct CheckedUndo: Sendable {
        var operatorAction: OperatorAction
        var waiting: [AdminRequest]
        var underWay = 0
        /// Requests that would set what is set now, where that is not what the change set.
        var others: [AdminRequest] = []
    }

    mutating func offer(_ undo: OperatorAction, of made: [AdminRequest]) {
        self.undo = Undo(
            operatorAction: undo, made: made, untilMilliseconds: self.look.nowMilliseconds + Self.undoMilliseconds)
    }

    /// Takes the last change back. Where somebody changed the same since, it asks first.
    mutating func takeBack() {
        guard let undo = self.undo else { return self.tellStatus(StatusLine(self.look("console.noUndo"), .refusal)) }
        guard case .connected = self.link, !self.isSilent else {
            return self.tellStatus(StatusLine(self.look("console.lost"), .refusal))
        }
        guard self.checkedUndo == nil else {
            return self.tellStatus(StatusLine(self.look("console.busy"), .refusal))
        }
        self.undo = nil
        self.checkedUndo = CheckedUndo(
            operatorAction: undo.operatorAction, waiting: undo.made.filter { $0.basis != nil }.reversed())
        self.notice = StatusLine(self.look("console.working"))
        self.lookAtMore()
    }

    private mutating func lookAtMore() {
        while let check = self.checkedUndo, check.underWay < Self.requestsAtOnce, let made = check.waiting.last {
            self.checkedUndo?.waiting.removeLast()
            guard let basis = made.basis, self.ask(basis, .undoneState(made)) else { continue }
            self.checkedUndo?.underWay += 1
        }
        guard let check = self.checkedUndo, check.underWay == 0, check.waiting.isEmpty else { return }
        self.checkedUndo = nil
        self.notice = nil
        guard !check.others.isEmpty else { return self.perform(check.operatorAction) }
        let lines = check.others.compactMap(\.operation.command).prefix(3).map { "  " + Shell.line($0) }
        let proposal = Proposal(
            self.look("console.undo.changed"), consequences: [self.look("console.undo.changedConsequence")] + lines,
            operatorAction: check.operatorAction)
        self.overlays.append(.confirmation(Confirmation(proposal)))
    }

    /// Takes what is set now. What cannot be looked at any more stays for the server to refuse.
    mutating func compare(_ answer: Result<AdminAnswer, AdminError>, with made: AdminRequest) {
        guard self.checkedUndo != nil else { return }
        self.checkedUndo?.underWay -= 1
        if case .success(let state) = answer, let now = made.restoring(state), now != made {
            self.checkedUndo?.others.append(now)
        }
        self.lookAtMore()
    }
}
