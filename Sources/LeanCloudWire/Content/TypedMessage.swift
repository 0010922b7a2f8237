package import ByteCodec

/// The JSON that SDKs put into `msg`: a kind, and members that belong to it.
///
/// Content is the apps' business: nothing is refused for what it says. A member that is not of the kind that SDKs
/// write there, `_lctext` with a number for instance, stays among `others` as it is.
///
/// Source: the messages that the SDKs write, and the samples in the vendor's REST documentation.
package struct TypedMessage: Hashable, Sendable {
    /// `_lctype`.
    package var kind: TypedMessageKind
    /// `_lctext`.
    package var text: String?
    /// `_lcattrs`: what the app adds.
    package var attributes: [JSONValue.Member]?
    /// `_lcfile` of images, audio, video and files.
    package var file: TypedMessageFile?
    /// `_lcloc`.
    package var location: TypedMessageLocation?
    /// `timestamp` of a group receipt: UTC milliseconds.
    package var timestamp: Int64?
    /// All other members, as they stood.
    package var others: [JSONValue.Member]

    package init(
        _ kind: TypedMessageKind, text: String? = nil, attributes: [JSONValue.Member]? = nil,
        file: TypedMessageFile? = nil, location: TypedMessageLocation? = nil, timestamp: Int64? = nil,
        others: [JSONValue.Member] = []
    ) {
        self.kind = kind
        self.text = text
        self.attributes = attributes
        self.file = file
        self.location = location
        self.timestamp = timestamp
        self.others = others
    }

    /// The content of a message that its sender took back.
    package static var recalled: TypedMessage { TypedMessage(.recalled) }
}

/// The file of a typed message: where it is and what it is.
package struct TypedMessageFile: Hashable, Sendable {
    /// Address of the file.
    package var url: String?
    /// `objId`: the stored object, when there is one.
    package var objectID: String?
    /// `metaData`; `nil` when there is none.
    package var metadata: TypedMessageFileMetadata?
    /// All other members, as they stood; some senders put `name` and `size` here.
    package var others: [JSONValue.Member]

    package init(
        url: String? = nil, objectID: String? = nil, metadata: TypedMessageFileMetadata? = nil,
        others: [JSONValue.Member] = []
    ) {
        self.url = url
        self.objectID = objectID
        self.metadata = metadata
        self.others = others
    }

    /// The file's name, wherever the sender put it.
    package var name: String? { self.metadata?.name ?? self.others.value("name")?.string }

    /// Bytes, wherever the sender put them.
    package var size: Int64? { self.metadata?.size ?? self.others.value("size")?.wholeNumber }
}

/// Facts about a file of a typed message.
package struct TypedMessageFileMetadata: Hashable, Sendable {
    /// File name.
    package var name: String?
    /// Format such as `jpg`, as the app wrote it.
    package var format: String?
    /// Pixels.
    package var width: Int64?
    /// Pixels.
    package var height: Int64?
    /// Seconds.
    package var duration: Double?
    /// Bytes.
    package var size: Int64?
    /// The user who stored the file.
    package var owner: String?
    /// All other members, as they stood.
    package var others: [JSONValue.Member]

    package init(
        name: String? = nil, format: String? = nil, width: Int64? = nil, height: Int64? = nil,
        duration: Double? = nil, size: Int64? = nil, owner: String? = nil, others: [JSONValue.Member] = []
    ) {
        self.name = name
        self.format = format
        self.width = width
        self.height = height
        self.duration = duration
        self.size = size
        self.owner = owner
        self.others = others
    }
}

/// A place on Earth, in degrees.
package struct TypedMessageLocation: Hashable, Sendable {
    /// Degrees north, as the app wrote them.
    package var latitude: Double
    /// Degrees east, as the app wrote them.
    package var longitude: Double
    /// All other members, as they stood.
    package var others: [JSONValue.Member]

    package init(latitude: Double, longitude: Double, others: [JSONValue.Member] = []) {
        self.latitude = latitude
        self.longitude = longitude
        self.others = others
    }
}
