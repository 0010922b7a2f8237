extension JSONValue {
    /// This value after a JSON merge patch: members of the patch replace or join those here, `null` removes one, objects
    /// are merged member by member, and everything else (arrays too) is replaced whole. Members that stay keep their
    /// order, new ones follow in the order of the patch.
    ///
    /// No deeper than the deeper of the two. Names are compared as bytes. Of a name that stands twice in the patch the
    /// last one counts.
    ///
    /// Source: RFC 7396, section 2.
    package func merging(patch: JSONValue) -> JSONValue {
        guard case .object(let changes) = patch else { return patch }
        var members: [Member?] = self.object ?? []
        var places: [[UInt8]: Int] = [:]
        places.reserveCapacity(members.count + changes.count)
        for (place, member) in members.enumerated() {
            if let member { places[Array(member.name.utf8)] = place }
        }
        for change in changes {
            let name = Array(change.name.utf8)
            let place = places[name]
            if change.value.isNull {
                if let place { members[place] = nil }
                places[name] = nil
            } else if let place {
                members[place] = Member(change.name, (members[place]?.value ?? .null).merging(patch: change.value))
            } else {
                places[name] = members.count
                members.append(Member(change.name, JSONValue.null.merging(patch: change.value)))
            }
        }
        return .object(members.compactMap(\.self))
    }

    /// The merge patch that makes `wanted` of this value; members of objects may then stand in another order.
    ///
    /// - Returns: `nil` when there is none: a patch leaves no `null` outside of arrays. Source: RFC 7396, section 1.
    package func mergePatch(to wanted: JSONValue) -> JSONValue? {
        guard case .object(let members) = wanted else { return wanted.isNull ? nil : wanted }
        let old = self.object ?? []
        let before = Dictionary(old.map { (Array($0.name.utf8), $0.value) }) { $1 }
        var gone = Set(before.keys)
        var changes: [Member] = []
        for member in members {
            let name = Array(member.name.utf8)
            gone.remove(name)
            let value = before[name]
            // Compared as bytes: two spellings of one letter are two texts.
            if let value, value.serialized() == member.value.serialized() { continue }
            guard let change = (value ?? .null).mergePatch(to: member.value) else { return nil }
            // Another order of its members alone is no change.
            if change == .object([]), value?.object != nil { continue }
            changes.append(Member(member.name, change))
        }
        for member in old where gone.contains(Array(member.name.utf8)) { changes.append(Member(member.name, .null)) }
        return .object(changes)
    }
}
