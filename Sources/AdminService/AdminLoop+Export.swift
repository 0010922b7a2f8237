import AdminAPI

/// The export that belongs to a connection: it ends with it.
extension AdminLoop {
    func start(_ request: AdminExportRequest, at handler: AdminHandler, _ key: Int, _ id: Int64) {
        guard let client = self.clients[key] else { return }
        let mailbox = self.mailbox
        if case .begin(let scope) = request {
            client.export = nil
            return handler.beginExport(scope) {
                mailbox.post(.exportBegun(client: key, request: id, $0))
            }
        }
        guard let export = client.export else {
            return self.answered(
                key, id, .failure(AdminError(.invalid, "this connection has begun no export")))
        }
        handler.answerExportRequest(request, of: export) { mailbox.post(.answer(client: key, request: id, $0)) }
    }

    /// The audit log has it: the connection may read what the export is of.
    func exportBegun(_ result: Result<OpenExport, AdminError>, _ key: Int, _ id: Int64) {
        guard let client = self.clients[key] else { return }
        if case .success(let export) = result { client.export = export }
        let (time, version) = (self.options.clock.wallMilliseconds(), self.options.version)
        self.answered(key, id, result.map { _ in .exports(.begun(atMilliseconds: time, version: version)) })
    }
}
