import Broker
import ChatModel
import WuKongTranslation

/// One device that came online or went, as `user.onlinestatus` tells it:
/// `uid-deviceFlag-online-connectionId-devicesOfThatFlag-devices`. A uid may hold `-`: read it from the right.
///
/// Source: WuKongIM server v2.2.5, webhook.
struct OnlineStatusLine {
    var user: UserName
    var deviceClass: DeviceClass
    var isOnline: Bool
    var session: SessionID
    /// Devices of this class that are online afterwards.
    var devicesOfClass: Int
    /// All devices of the person that are online afterwards.
    var devices: Int

    /// The flag for a device that is none of WuKongIM's: its system's.
    private static let otherFlag = 99

    var text: String {
        let flag = Translation.deviceFlag(self.deviceClass) ?? Self.otherFlag
        return "\(self.user.text)-\(flag)-\(self.isOnline ? 1 : 0)-\(self.session.rawValue)"
            + "-\(self.devicesOfClass)-\(self.devices)"
    }
}
