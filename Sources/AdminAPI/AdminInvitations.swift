package import ChatModel

/// An invitation to be made: a link by which one person comes in, once.
package struct AdminNewInvitation: AdminRecord {
    /// Name that the person gets; `nil` for one of their choice.
    package var name: UserName?
    /// Name to show, unless they say another; `nil` for none.
    package var displayName: String?
    /// Hours for which the link is good: one of `InvitationBounds.hours`.
    package var hours: Int64
    /// Address of the server in the link, `https://chat.lan:7677`; `nil` for the one that the server knows of itself.
    package var address: String?

    package init(
        name: UserName? = nil, displayName: String? = nil, hours: Int64 = InvitationBounds.usualHours,
        address: String? = nil
    ) {
        self.name = name
        self.displayName = displayName
        self.hours = hours
        self.address = address
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.name = try fields("name", \.name, .option("name", "NAME", "option.inviteName"))
        self.displayName = try fields(
            "displayName", \.displayName, .option("display-name", "TEXT", "option.displayName"))
        self.hours = try fields(
            "hours", \.hours, .number("hours", InvitationBounds.hours, "option.inviteHours", hasUsual: true))
        self.address = try fields("address", \.address, .option("address", "URL", "option.inviteAddress"))
        let hours = self.hours
        try fields.check(InvitationBounds.hours.contains(hours), "hours")
    }
}

/// An invitation that was made: the only time its link is shown.
package struct AdminIssuedInvitation: AdminRecord {
    /// Number of the invitation.
    package var number: Int64
    /// Whole address of the page for the person who is invited.
    package var link: String
    /// True when the link leads to an address that this machine alone has.
    package var isHereOnly: Bool
    /// Nobody comes in by it from then on, UTC milliseconds.
    package var endsAtMilliseconds: Int64

    package init(number: Int64, link: String, isHereOnly: Bool, endsAtMilliseconds: Int64) {
        self.number = number
        self.link = link
        self.isHereOnly = isHereOnly
        self.endsAtMilliseconds = endsAtMilliseconds
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.number = try fields("number", \.number)
        self.link = try fields("link", \.link)
        self.isHereOnly = try fields("hereOnly", \.isHereOnly)
        self.endsAtMilliseconds = try fields("endsAt", \.endsAtMilliseconds)
    }
}

/// An open invitation, without its link: that is shown once.
package struct AdminInvitation: AdminRecord {
    /// Number of the invitation.
    package var number: Int64
    /// Person who invites; `____system` for the operator.
    package var inviter: UserName
    /// Name that the person gets; `nil` for one of their choice.
    package var name: UserName?
    /// Name to show, unless they say another; `nil` for none.
    package var displayName: String?
    /// Time of creation, UTC milliseconds.
    package var createdAtMilliseconds: Int64
    /// Nobody comes in by it from then on, UTC milliseconds.
    package var endsAtMilliseconds: Int64

    package init(
        number: Int64, inviter: UserName, name: UserName?, displayName: String?, createdAtMilliseconds: Int64,
        endsAtMilliseconds: Int64
    ) {
        self.number = number
        self.inviter = inviter
        self.name = name
        self.displayName = displayName
        self.createdAtMilliseconds = createdAtMilliseconds
        self.endsAtMilliseconds = endsAtMilliseconds
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.number = try fields("number", \.number)
        self.inviter = try fields("inviter", \.inviter)
        self.name = try fields("name", \.name)
        self.displayName = try fields("displayName", \.displayName)
        self.createdAtMilliseconds = try fields("createdAt", \.createdAtMilliseconds)
        self.endsAtMilliseconds = try fields("endsAt", \.endsAtMilliseconds)
    }
}
