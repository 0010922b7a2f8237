import ChatModel
import Testing

struct SignInPolicyTests {
    private typealias Device = SignInPolicy.Device
    private typealias End = SignInPolicy.End

    private func phone(_ id: String, _ level: DeviceLevel = .secondary) -> Device { Device(.app, id: id, level) }
    private func web(_ id: String, _ level: DeviceLevel = .secondary) -> Device { Device(.web, id: id, level) }
    private func desktop(_ id: String, _ level: DeviceLevel = .secondary) -> Device { Device(.desktop, id: id, level) }

    @Test("by level, a primary device ends the others of its class, a secondary one nobody but itself")
    func byLevel() {
        let policy = SignInPolicy.Preset.byLevel.policy
        let open = [self.phone("a"), self.web("b"), self.phone("c", .primary)]
        #expect(policy.ended(of: open, by: self.phone("d", .primary)) == [End(0, .takenOver), End(2, .takenOver)])
        #expect(policy.ended(of: open, by: self.phone("c", .primary)) == [End(0, .takenOver), End(2, .sameDevice)])
        #expect(policy.ended(of: open, by: self.phone("d")).isEmpty)
        #expect(policy.ended(of: open, by: self.phone("a")) == [End(0, .sameDevice)])
        // The same name in another class is another device.
        #expect(policy.ended(of: open, by: self.desktop("a", .primary)).isEmpty)
    }

    @Test("one of a class ends the older one, whatever its level, and leaves other classes alone")
    func onePerClass() {
        let policy = SignInPolicy.Preset.onePerClass.policy
        let open = [self.phone("a"), self.web("b")]
        #expect(policy.ended(of: open, by: self.phone("c")) == [End(0, .takenOver)])
        #expect(policy.ended(of: open, by: self.desktop("c")).isEmpty)
    }

    @Test("a desktop and a browser exclude each other both ways; a phone stays beside either")
    func exclusive() {
        let policy = SignInPolicy.Preset.desktopOrWeb.policy
        #expect(policy.ended(of: [self.phone("a"), self.web("b")], by: self.desktop("c")) == [End(1, .takenOver)])
        #expect(policy.ended(of: [self.phone("a"), self.desktop("b")], by: self.web("c")) == [End(1, .takenOver)])
        #expect(policy.ended(of: [self.desktop("b")], by: self.phone("c")).isEmpty)
    }

    @Test("of a number, the oldest go; without a bound nobody does but the same device")
    func numbers() throws {
        let policy = try SignInPolicy("*=unlimited app=2")
        let open = [self.phone("a", .primary), self.web("w"), self.phone("b"), self.phone("c")]
        #expect(
            policy.ended(of: open, by: self.phone("d", .primary)) == [End(0, .takenOver), End(2, .takenOver)])
        #expect(policy.ended(of: [self.phone("a")], by: self.phone("b")).isEmpty)
        #expect(policy.ended(of: open, by: self.web("x", .primary)).isEmpty)
        #expect(policy.ended(of: open, by: self.web("w", .primary)) == [End(1, .sameDevice)])
    }

    @Test("a preview ends what would not be open had the policy held all along")
    func preview() throws {
        let open = [self.web("w"), self.phone("a"), self.phone("b"), self.desktop("d"), self.phone("c")]
        #expect(
            SignInPolicy.Preset.desktopOrWeb.policy.ended(of: open)
                == [End(0, .takenOver), End(1, .takenOver), End(2, .takenOver)])
        #expect(SignInPolicy.Preset.unlimited.policy.ended(of: open).isEmpty)
        #expect(SignInPolicy.Preset.byLevel.policy.ended(of: open).isEmpty)
        #expect(try SignInPolicy("app=2").ended(of: open) == [End(1, .takenOver)])
        // Who has ended excludes nobody any more: the browser had been ended by the desktop, which ended by the next one.
        let turns = [self.web("w"), self.desktop("d"), self.web("x")]
        #expect(
            SignInPolicy.Preset.desktopOrWeb.policy.ended(of: turns) == [End(0, .takenOver), End(1, .takenOver)])
    }

    @Test(
        "a policy is its text, and the text is the policy",
        arguments: [
            ("*=level", "by-level"), ("*=1", "one-per-class"), ("*=1 desktop!web", "pc-and-web-exclusive"),
            ("*=unlimited", "unlimited"), ("*=level app=2 tv=unlimited app!tv desktop!web", nil),
        ] as [(String, String?)])
    func text(_ text: String, _ preset: String?) throws {
        let policy = try SignInPolicy(text)
        #expect(policy.text == text && policy.preset?.rawValue == preset)
        if let preset { #expect(try SignInPolicy(preset) == policy) }
    }

    @Test("order and direction do not matter")
    func order() throws {
        #expect(try SignInPolicy("web!desktop  app=2 *=1").text == "*=1 app=2 desktop!web")
    }

    @Test(
        "what is no policy is refused",
        arguments: [
            "one", "app=0", "app=1001", "app=+1", "app=x", "=1", "app=", "app!app", "*!app", "a!b!c", "app=1=2", "!",
            "app=1,web=1", "äpp=1",
        ])
    func refused(_ text: String) {
        #expect(throws: SignInPolicyError.self) { try SignInPolicy(text) }
    }

    @Test("a policy names a bounded number of classes")
    func bound() {
        let text = (0...SignInPolicy.mostClasses).map { "c\($0)=1" }.joined(separator: " ")
        #expect(throws: SignInPolicyError.self) { try SignInPolicy(text) }
    }
}
