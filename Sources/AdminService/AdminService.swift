package import Accounts
package import AdminAPI
package import Broker
import CLinux
import Execution
import Glibc
package import Profiles
package import Store
package import Transfers

/// Answers operators on the admin socket of the data folder, on a thread of its own.
///
/// Only the server's user and root are let in, and the accounts that have a role. Requests are worked on by broker, store and
/// accounts; a slow one holds up nobody else.
package final class AdminService: Sendable {
    private let mailbox: Mailbox<LoopEvent>
    private let thread: Thread

    /// Makes the socket and starts the thread.
    ///
    /// - Parameters:
    ///   - transfers: `nil` for a server that keeps no files.
    ///   - profiles: `nil` for a server that is not asked who people are.
    /// - Throws: `failed` when the socket cannot be made.
    package init(
        _ options: AdminServiceOptions, store: Store, accounts: Accounts, broker: Broker, moderation: Moderation,
        transfers: Transfers? = nil, profiles: Profiles? = nil
    ) throws(AdminError) {
        var listeners = [try AdminSocket.listen(in: options.folder)]
        if let folder = options.operators.folder {
            do throws(AdminError) {
                listeners.append(try AdminSocket.listen(in: folder, isForAll: true))
            } catch {
                close(listeners[0])
                AdminSocket.remove(in: options.folder)
                throw error
            }
        }
        let mailbox = Mailbox<LoopEvent>()
        let handler = AdminHandler(
            options, store: store, accounts: accounts, broker: broker, moderation: moderation, transfers: transfers,
            profiles: profiles)
        self.mailbox = mailbox
        self.thread = Thread(name: "admin") { [listeners] in
            let loop = AdminLoop(options, listeners: listeners, handler: handler, mailbox: mailbox)
            loop.run()
        }
    }

    /// Closes the connections, removes the socket, ends the thread and waits for it. Before the broker and the store
    /// stop.
    package func stop() {
        self.mailbox.post(.stop)
        self.thread.join()
    }
}
