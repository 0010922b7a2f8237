import Execution
import Store
import Testing

struct ClosingTests {
    /// Closes a store when nobody holds it any more.
    private final class Owner: Sendable {
        private let store: Store
        private let onClosed: @Sendable () -> Void

        init(_ store: Store, onClosed: @escaping @Sendable () -> Void) {
            self.store = store
            self.onClosed = onClosed
        }

        deinit {
            self.store.close()
            self.onClosed()
        }
    }

    @Test("a store whose last owner lets go on the store's own thread closes as any other")
    func ownThread() throws {
        let fixture = try Fixture()
        let isClosed = ConditionLock(false)
        var owner: Owner? = Owner(fixture.store) { isClosed.change { $0 = true } }
        let mayGoOn = ConditionLock(false)
        fixture.store.write({ [owner] _ in
            mayGoOn.wait(until: { $0 }, then: { _ in })
            _ = owner
        }) { _ in }
        owner = nil
        mayGoOn.change { $0 = true }
        isClosed.wait(until: { $0 }, then: { _ in })
        #expect(throws: StoreError.unavailable) { try fixture.store.writeAndWait { _ in } }
    }
}
