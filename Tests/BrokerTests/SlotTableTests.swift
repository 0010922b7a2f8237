import Testing

@testable import Broker

struct SlotTableTests {
    final class Thing {}

    @Test("finds what was put in, until it is removed")
    func findsAndForgets() {
        var table = SlotTable<Thing>()
        let (first, second) = (Thing(), Thing())
        let (one, two) = (table.insert(first, owner: 3), table.insert(second, owner: 3))
        #expect(one != 0 && two != 0 && one != two)
        #expect(table[one] === first && table[two] === second)
        table.remove(one)
        #expect(table[one] == nil && table[two] === second)
        table.remove(one)
        #expect(table[two] === second, "removing twice changes nothing")
    }

    @Test("a handle of a removed thing never finds the next one in its slot")
    func generations() {
        var table = SlotTable<Thing>()
        let old = table.insert(Thing(), owner: 0)
        table.remove(old)
        let new = Thing()
        let handle = table.insert(new, owner: 0)
        #expect(handle != old && table[old] == nil && table[handle] === new)
    }

    @Test("a handle that was never given finds nothing", arguments: [0, 1, UInt64.max])
    func strangers(handle: UInt64) {
        var table = SlotTable<Thing>()
        _ = table.insert(Thing(), owner: 1)
        #expect(table[handle] == nil)
    }
}
