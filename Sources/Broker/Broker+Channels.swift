import ChatModel

extension Broker {
    /// Has `source` asked, on the broker's thread, for each channel that somebody writes to and that is not known here.
    /// Messages wait for its answer, those that follow to the same channel behind them. Set it before the first session.
    package func askForChannels(_ source: @escaping ChannelSource) {
        self.ask { core in
            core.channelSource = { kind, name in
                source(kind, name) { isThere in
                    self.ask { core in core.answered(kind, name, isThere: isThere) }
                }
            }
        }
    }
}
