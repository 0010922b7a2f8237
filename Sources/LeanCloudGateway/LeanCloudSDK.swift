/// The SDK that a client was built with, as far as one needs other answers than the rest.
enum LeanCloudSDK: Hashable, Sendable {
    case javaScript
    /// Java and Android, and Flutter on Android.
    case java
    case cSharp
    case other

    /// Source: the SDKs' session commands: `js/5.0.0`, `LeanCloud-Java-SDK/8.2.28`, `java/5.0.0` and `android/...` before,
    /// `LeanCloud-CSharp-SDK/2.4.1`. The C# SDK leaves the name out when it comes back, and is the only one that does.
    init(userAgent: String?, isReconnect: Bool) {
        guard let name = userAgent else {
            self = isReconnect ? .cSharp : .other
            return
        }
        self =
            if name.hasPrefix("js/") {
                .javaScript
            } else if ["LeanCloud-Java-SDK/", "java/", "android/"].contains(where: name.hasPrefix) {
                .java
            } else {
                name.hasPrefix("LeanCloud-CSharp-SDK/") ? .cSharp : .other
            }
    }
}
