import ChatModel

extension Broker {
    /// A session's device has acted on a command of the log. It counts when the device speaks for its person: see
    /// `BrokerCore.speaksForPerson`.
    package func acknowledgeCommand(from session: SessionID, sequence: Int64) {
        self.ask { core in
            _ = core.speaksForPerson(session)
        }
    }
}
