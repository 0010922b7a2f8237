import ChatModel

/// Holder of a picture, by the name that apps know.
enum PictureName: Hashable {
    case person(UserName)
    case group(ChannelName)

    /// `/v1/users/{uid}/avatar` and `/v1/groups/{group_no}/avatar`. Source: TangSengDaoDao server and apps.
    ///
    /// - Parameter segments: of the whole path, decoded.
    init?(_ segments: [String]) {
        guard segments.count == 4, segments[0] == "v1", segments[3] == "avatar" else { return nil }
        switch segments[1] {
        case "users":
            guard let name = UserName(segments[2]) else { return nil }
            self = .person(name)
        case "groups":
            guard let name = ChannelName(segments[2]) else { return nil }
            self = .group(name)
        default: return nil
        }
    }

    /// Decides the colour of the picture of who has none.
    var seed: String {
        switch self {
        case .person(let name): name.text
        case .group(let name): name.text
        }
    }
}
