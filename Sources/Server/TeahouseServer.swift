package import Accounts
package import Broker
import Diagnostics
import Execution
package import Store
package import Transport
import WuKongGateway

/// A whole server: everything started and stopped in one visible order.
package final class TeahouseServer: Sendable {
    package let store: Store
    package let accounts: Accounts
    package let broker: Broker
    package let transport: TransportServer
    private let options: ServerOptions

    /// Where it listens, with real ports.
    package var addresses: [BoundAddress] { self.transport.addresses }

    /// Opens the data folder, binds the ports, and accepts connections when it returns.
    ///
    /// - Throws: `ServerError`; then nothing runs and the folder is free again.
    package init(_ options: ServerOptions) throws(ServerError) {
        self.options = options
        do throws(StoreError) {
            self.store = try Store(options.store)
        } catch {
            throw .store(error)
        }
        self.accounts = Accounts(self.store, folder: options.store.folder, options: options.accounts)
        self.broker = Broker(store: self.store, limits: options.broker, clock: options.clock, log: options.log)
        do throws(ServerError) {
            self.transport = try Self.makeTransport(options, broker: self.broker, accounts: self.accounts)
        } catch {
            Self.stop(self.broker, self.accounts, self.store)
            throw error
        }
        self.accounts.openSetup { _ in }
        self.transport.start()
    }

    private static func makeTransport(
        _ options: ServerOptions, broker: Broker, accounts: Accounts
    ) throws(ServerError) -> TransportServer {
        let house = WuKongHouse(
            broker: broker, authenticator: accounts.authenticator, settings: options.wuKong, log: options.log)
        let servesWuKong = options.servesWuKong
        do throws(TransportError) {
            return try TransportServer(
                settings: options.transport, limits: options.transportLimits, log: options.log,
                clock: options.clock
            ) { reactor in
                servesWuKong ? [WuKongGateway(house: house, reactor: reactor)] : []
            }
        } catch {
            throw .transport(error)
        }
    }

    /// Accepts no more, tells every client to come back, finishes what was taken, and closes the folder.
    ///
    /// - Parameter deadlineMilliseconds: how long clients get to take what waits for them.
    package func stop(deadlineMilliseconds: Int64 = 5000) {
        self.transport.drain(deadlineMilliseconds: deadlineMilliseconds)
        Self.stop(self.broker, self.accounts, self.store)
    }

    /// In the order in which nobody speaks to somebody who has gone: the store finishes its queue last.
    private static func stop(_ broker: Broker, _ accounts: Accounts, _ store: Store) {
        accounts.stop()
        store.close()
        broker.stop()
    }

    /// Reads certificates again.
    package func reload() throws(ServerError) {
        do throws(TransportError) {
            try self.transport.reloadTLS()
        } catch {
            throw .transport(error)
        }
    }
}

/// Why a server does not start.
package enum ServerError: Error, CustomStringConvertible {
    case store(StoreError)
    case transport(TransportError)
    case adminSocket(String)

    package var description: String {
        switch self {
        case .store(let error): error.description
        case .transport(let error): error.description
        case .adminSocket(let text): "the admin socket cannot be opened: \(text)"
        }
    }
}
