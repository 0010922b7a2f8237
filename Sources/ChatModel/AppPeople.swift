/// Account of a person as an app keeps it with this server.
///
/// Source: LeanCloud storage, class `_User`. Its object id is the person's name here, which is also what the person is
/// called in the protocol of messages.
package struct AppUser: Hashable, Sendable {
    /// Person concerned.
    package var user: UserID
    /// Name of the person, unique on the server.
    package var name: UserName
    /// Name that the person signs in with; the account's name for people whom no app made.
    package var username: String
    /// Email address.
    package var email: String?
    /// Phone number.
    package var phone: String?
    /// The text of a JSON object with the app's own fields; `nil` for none.
    package var fields: [UInt8]?
    /// True when the account is disabled.
    package var isDisabled: Bool
    /// True when the server that the person was imported from had verified the address.
    package var isEmailVerified = false
    /// True when the server that the person was imported from had verified the number.
    package var isPhoneVerified = false
    /// The text of a JSON object with sign-ins by other services, as the former server kept them; `nil` for none.
    package var authData: [UInt8]?
    /// Time of creation, UTC milliseconds.
    package var createdAtMilliseconds: Int64
    /// Time of the last change, UTC milliseconds.
    package var updatedAtMilliseconds: Int64

    package init(
        user: UserID, name: UserName, username: String, email: String? = nil, phone: String? = nil,
        fields: [UInt8]? = nil, isDisabled: Bool = false, createdAtMilliseconds: Int64, updatedAtMilliseconds: Int64
    ) {
        self.user = user
        self.name = name
        self.username = username
        self.email = email
        self.phone = phone
        self.fields = fields
        self.isDisabled = isDisabled
        self.createdAtMilliseconds = createdAtMilliseconds
        self.updatedAtMilliseconds = updatedAtMilliseconds
    }
}

/// Changes of an `AppUser`; `nil` stays as it is, empty text removes.
package struct AppUserPatch: Hashable, Sendable {
    /// Cannot be removed.
    package var username: String?
    /// Email address.
    package var email: String?
    /// Phone number.
    package var phone: String?
    /// The text of a JSON object: all fields from then on.
    package var fields: [UInt8]?
    /// True for an address that was verified elsewhere. An address that changes is not verified.
    package var isEmailVerified: Bool?
    /// True for a number that was verified elsewhere. A number that changes is not verified.
    package var isPhoneVerified: Bool?
    /// The text of a JSON object with sign-ins by other services, from elsewhere.
    package var authData: [UInt8]?
    /// UTC milliseconds, for people who were somewhere else before.
    package var createdAtMilliseconds: Int64?

    package init(
        username: String? = nil, email: String? = nil, phone: String? = nil, fields: [UInt8]? = nil,
        createdAtMilliseconds: Int64? = nil
    ) {
        self.username = username
        self.email = email
        self.phone = phone
        self.fields = fields
        self.createdAtMilliseconds = createdAtMilliseconds
    }
}

/// By what a person of an app is found.
package enum AppLogin: Hashable, Sendable {
    case username(String)
    case email(String)
    case phone(String)
}

/// Bounds of what apps keep about people, devices and files.
package enum AppLimits {
    /// Unicode scalars.
    package static let usernameScalars = 128
    /// Maximum bytes of an email address.
    package static let emailBytes = 254
    /// Maximum bytes of a phone number.
    package static let phoneBytes = 32
    /// Maximum bytes of a person's or a device's own fields, as text.
    package static let fieldsBytes = 16_384
    /// Devices bound to one person; above it the one heard of longest ago is bound to nobody.
    package static let devicesPerPerson = 50
    /// Devices that are bound to nobody; above it those heard of longest ago go.
    package static let unboundDevices: Int64 = 10_000
    /// Bytes of a device's token, and of what it calls itself.
    package static let deviceTextBytes = 512
    /// Bytes of the address of a file that is elsewhere.
    package static let addressBytes = 4_096
    /// Files of one owner that are elsewhere; above it the oldest go.
    package static let filesElsewhere: Int64 = 10_000
    /// Places to upload that were not used yet: of one owner, and of nobody in particular; above it the oldest go.
    package static let openUploadsOfPerson: Int64 = 100
    /// Maximum number of unfinished uploads without an owner.
    package static let openUploadsOfNobody: Int64 = 10_000
}

/// A device as an app's push SDK registered it. Nothing is pushed from here: it says which device belongs to whom.
///
/// Source: LeanCloud push, class `_Installation`.
package struct Installation: Hashable, Sendable {
    /// Object ID.
    package var objectID: ObjectID
    /// Person who signed in on the device last.
    package var person: UserName?
    /// Kind of device, in the app's words.
    package var deviceType: String?
    /// Token of the platform's push service.
    package var deviceToken: String?
    /// Installation's own identifier.
    package var installationID: String?
    /// The text of a JSON object with everything else; `nil` for nothing.
    package var fields: [UInt8]?
    /// Time of creation, UTC milliseconds.
    package var createdAtMilliseconds: Int64
    /// Time of the last change, UTC milliseconds.
    package var updatedAtMilliseconds: Int64

    package init(
        objectID: ObjectID, person: UserName?, deviceType: String?, deviceToken: String?, installationID: String?,
        fields: [UInt8]?, createdAtMilliseconds: Int64, updatedAtMilliseconds: Int64
    ) {
        self.objectID = objectID
        self.person = person
        self.deviceType = deviceType
        self.deviceToken = deviceToken
        self.installationID = installationID
        self.fields = fields
        self.createdAtMilliseconds = createdAtMilliseconds
        self.updatedAtMilliseconds = updatedAtMilliseconds
    }
}

/// Changes of an `Installation`; `nil` stays as it is, empty text removes.
package struct InstallationPatch: Hashable, Sendable {
    /// Kind of device, in the app's words.
    package var deviceType: String?
    /// Token of the platform's push service.
    package var deviceToken: String?
    /// Installation's own identifier.
    package var installationID: String?
    /// The text of a JSON object: all other fields from then on.
    package var fields: [UInt8]?

    package init(
        deviceType: String? = nil, deviceToken: String? = nil, installationID: String? = nil, fields: [UInt8]? = nil
    ) {
        self.deviceType = deviceType
        self.deviceToken = deviceToken
        self.installationID = installationID
        self.fields = fields
    }
}

/// A file as an app's storage SDK knows it.
///
/// Source: LeanCloud storage, class `_File`.
package struct AppFile: Hashable, Sendable {
    /// Place of the content.
    package enum Place: Hashable, Sendable {
        /// Here: the same link takes the content, once, and gives it from then on.
        case link(FileLinkKey, isComplete: Bool)
        /// At an address elsewhere.
        case address(String)
    }

    /// Object ID.
    package var objectID: ObjectID
    /// `UserID.system` for nobody in particular.
    package var owner: UserID
    /// Place of the content.
    package var place: Place
    /// Name of the file.
    package var name: String
    /// Media type, such as `image/png`.
    package var mediaType: String
    /// The text of a JSON object; `nil` for nothing.
    package var metadata: [UInt8]?
    /// Time of creation, UTC milliseconds.
    package var createdAtMilliseconds: Int64

    package init(
        objectID: ObjectID, owner: UserID, place: Place, name: String, mediaType: String, metadata: [UInt8]?,
        createdAtMilliseconds: Int64 = 0
    ) {
        self.objectID = objectID
        self.owner = owner
        self.place = place
        self.name = name
        self.mediaType = mediaType
        self.metadata = metadata
        self.createdAtMilliseconds = createdAtMilliseconds
    }
}
