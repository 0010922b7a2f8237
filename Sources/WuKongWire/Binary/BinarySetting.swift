/// How the setting byte travels in the binary encoding.
///
/// Source: `setting.go` of WuKongIMGoProto and the JS SDK: bit 7 receipt, 5 signal, 4 noEncrypt, 3 topic, 1 stream. The
/// iOS, Android and Flutter SDKs know bits 7 and 3 only, and some of their versions have `stream` at bit 2, where
/// a RECV would continue with fields in an order that no server of today writes.
extension WuKongSetting {
    /// Where the SDKs for mobile devices had `stream`.
    static let oldStream = WuKongSetting(rawValue: 0x04)

    /// The setting for a RECV in this version: what its reader would misunderstand is left out.
    ///
    /// `topic` is set if and only if there is one, because it decides about a field. `noEncrypt` goes, because the
    /// payload is encrypted all the same: no SDK looks at this bit when it reads. `stream` goes below version 5, where
    /// it would announce fields that are not there, and bit 2 always.
    func forReceive(_ version: BinaryVersion, hasTopic: Bool) -> WuKongSetting {
        var setting = self.subtracting([.noEncrypt, .oldStream, .topic])
        if version.hasStreamFields { setting.remove(.stream) }
        if hasTopic { setting.insert(.topic) }
        return setting
    }

    /// True when a SEND with this setting has a stream number. The Flutter SDK, which has it too, says so with bit 2.
    func announcesStreamNumber(_ version: BinaryVersion) -> Bool {
        version.hasStreamFields && !self.isDisjoint(with: [.stream, .oldStream])
    }
}
