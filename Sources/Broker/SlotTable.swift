/// Objects by handle, found with one array access: the fan-out of a message looks one up per receiver.
///
/// A handle is the owner's number (8 bits), a generation (32) and a slot (24); a slot that is used again has another
/// generation, so that a late event for the old object finds nothing. No handle is 0.
package struct SlotTable<Element: AnyObject> {
    private var slots: [Slot] = []
    private var free: [Int] = []

    /// Most objects at a time: 2^24.
    package static var maximum: Int { 1 << 24 }

    /// Makes an empty table.
    package init() {}

    /// Adds an element and returns its handle.
    package mutating func insert(_ element: Element, owner: Int) -> UInt64 {
        let slot: Int
        if let last = self.free.popLast() {
            slot = last
            self.slots[slot].generation &+= 1
            self.slots[slot].element = element
        } else {
            precondition(self.slots.count < Self.maximum, "more sessions than a handle can number")
            slot = self.slots.count
            self.slots.append(Slot(generation: 1, element: element))
        }
        return UInt64(owner & 0xFF) << 56 | UInt64(self.slots[slot].generation) << 24 | UInt64(slot)
    }

    /// Removes the element of a handle; a handle that is over does nothing.
    package mutating func remove(_ handle: UInt64) {
        let slot = Int(handle & 0xFF_FFFF)
        guard self[handle] != nil else { return }
        self.slots[slot].element = nil
        self.free.append(slot)
    }

    /// Element of a handle; `nil` when it was removed.
    package subscript(handle: UInt64) -> Element? {
        let slot = Int(handle & 0xFF_FFFF)
        guard slot < self.slots.count, self.slots[slot].generation == UInt32(truncatingIfNeeded: handle >> 24) else {
            return nil
        }
        return self.slots[slot].element.map { unsafeDowncast($0, to: Element.self) }
    }

    /// Calls `body` for each element, in no order.
    package func forEach(_ body: (Element) -> Void) {
        for slot in self.slots { if let element = slot.element { body(unsafeDowncast(element, to: Element.self)) } }
    }
}

/// SAFETY: `element` is an `Element` of the table. Without that type's name the table is fast also where the compiler does
/// not specialise it: across modules.
private struct Slot {
    var generation: UInt32
    var element: AnyObject?
}
