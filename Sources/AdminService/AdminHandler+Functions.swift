import AdminAPI

// The cloud functions of an app.
extension AdminHandler {
    func answerHookRequest(_ request: AdminHookRequest, _ then: @escaping Answer) {
        guard let functions = self.options.functions else {
            return then(.failure(AdminError(.refused, "no cloud functions are called: see leancloud.hooks_url")))
        }
        switch request {
        case .list: then(.success(.hooks(.functions(functions.list(), dropped: functions.dropped()))))
        case .setDisabled(let name, let isDisabled):
            guard let before = functions.list().first(where: { $0.name == name }) else {
                return then(.failure(AdminError(.notFound, "the function \(name) is not called: see hook list")))
            }
            let state = Self.object { $0.flag("disabled", before.isDisabled) }
            self.auditing(state: state).afterAuditing(then) {
                functions.setDisabled(name, isDisabled)
                let after = functions.list().first { $0.name == name } ?? before
                then(.success(.hooks(.function(after))))
            }
        }
    }
}
