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
}
