package import ChatModel
package import Store

/// Why a change to accounts was not made.
package enum AccountsError: Error, Hashable, Sendable {
    case store(StoreError)
    case noSuchUser(UserName)
    case userExists(UserName)
    case password(PasswordProblem)
    /// A token an app chose has 1...256 bytes.
    case badToken
    /// Too many passwords wait to be hashed, or there is no memory for one. Nothing was written.
    case busy
    case setup(SetupRefusal)
    case invitation(InvitationRefusal)
    /// The server's own user can neither sign in nor be changed.
    case systemUser
}

/// Why the first administrator was not made.
package enum SetupRefusal: Hashable, Sendable {
    /// There is an administrator already: for the outside there is no setup at all.
    case done
    case wrongToken(triesLeft: Int)
    /// Too many wrong tries, or too late.
    case closed
}

/// Why nobody was invited, or nobody came in by an invitation.
package enum InvitationRefusal: Hashable, Sendable {
    /// There is none with this code, it was used, its time is over, or who made it may not invite any more.
    case ended
    /// It was made for this name.
    case otherName(UserName)
    case notAdministrator
    /// The client token came before with another order.
    case tokenConflict
    /// Too many wrong codes from this address.
    case throttled(retryAfterSeconds: Int64)
}

extension AccountsError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .store(let error): "\(error)"
        case .noSuchUser(let name): "user \(name) does not exist: check the spelling, capital letters count"
        case .userExists(let name): "user \(name) exists already: choose another name"
        case .password(let problem): "\(problem)"
        case .badToken: "the token is empty or longer than \(SignInToken.maximumBytes) bytes: nothing was changed"
        case .busy: "too many passwords are being checked: nothing was changed, ask again in a second"
        case .setup(.done): "there is an administrator already: sign in as one, or use teahouse ctl on the server"
        case .setup(.wrongToken(let left)):
            "the setup token is wrong: \(left) tries left; it is in the file setup-token of the data folder"
        case .setup(.closed):
            "the setup token is no longer valid: restart teahouse for a new one, or use teahouse ctl on the server"
        case .invitation(.ended): "there is no such invitation any more: ask for a new one"
        case .invitation(.otherName(let name)): "the invitation is for \(name)"
        case .invitation(.notAdministrator): "only administrators invite people"
        case .invitation(.tokenConflict): "the client token came before with another invitation"
        case .invitation(.throttled(let seconds)): "too many wrong codes: try again in \(seconds) seconds"
        case .systemUser: "the server's own user can neither sign in nor be changed"
        }
    }
}
