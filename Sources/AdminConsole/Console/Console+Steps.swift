import AdminAPI

extension Intent {
    /// True for a question to the server, whose answer may be the next step.
    fileprivate var isQuestion: Bool {
        switch self {
        case .ask, .askWhy: true
        case .propose, .perform, .form, .select, .open, .go, .page, .tell, .run, .rehearse, .refresh, .give, .hide,
            .save:
            false
        }
    }
}

extension Console {
    /// Forms and selectors on the way to a change, as they were filled in: what is refused or left is gone on with there.
    struct Steps: Sendable {
        /// Screen on which the way began.
        var screen: Int?
        var overlays: [Overlay] = []
    }

    /// Carries out what a form or a selector wants, and remembers it as it was filled in.
    mutating func goOn(from step: Overlay, _ intents: [Intent]) {
        self.steps.screen = self.top.number
        self.steps.overlays.append(step)
        self.carryOut(intents, for: self.top.number)
        // Neither a next step nor a question to the server: the way is over.
        if self.overlays.isEmpty && !intents.contains(where: \.isQuestion) { self.steps = Steps() }
    }

    /// Opens the form again whose question the server refused.
    mutating func reopen(because error: AdminError) {
        guard !self.steps.overlays.isEmpty else { return }
        self.reopen(self.takeSteps(), because: error.message)
    }

    mutating func takeSteps() -> Steps {
        defer { self.steps = Steps() }
        return self.steps
    }

    /// Goes back to the step before an overlay that was left.
    mutating func stepBack() {
        guard let step = self.steps.overlays.popLast() else {
            self.notice = StatusLine(self.look("console.cancelled"))
            return
        }
        self.overlays.append(step)
    }

    /// Opens the last form or selector of a change that was refused, with everything in it and the reason.
    ///
    /// - Returns: false when there was none, or the person is somewhere else by now.
    @discardableResult mutating func reopen(_ steps: Steps, because reason: String) -> Bool {
        guard let last = steps.overlays.last, steps.screen == self.top.number, self.overlays.isEmpty, self.prompt == nil
        else { return false }
        self.steps = steps
        self.steps.overlays.removeLast()
        if case .form(var form) = last {
            form.refuse(reason)
            self.overlays.append(.form(form))
        } else {
            self.overlays.append(last)
        }
        return true
    }
}
