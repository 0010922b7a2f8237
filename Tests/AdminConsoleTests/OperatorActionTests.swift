import AdminAPI
import AdminConsole
import ChatModel
import Testing

@Suite("An action of the operator") struct OperatorActionTests {
    private static let (ming, lan, tea) = (UserName("ming")!, UserName("lan")!, ChannelName("tea")!)

    @Test("it is undone by the inverses of its requests, in their order")
    func inverses() throws {
        let action = OperatorAction(
            [.setDisabled(Self.ming, true), .teams(.add(Self.tea, [Self.lan]))], done: "done", undone: "undone")
        let undo = try #require(action.undo)
        #expect(undo.requests == [.setDisabled(Self.ming, false), .teams(.remove(Self.tea, [Self.lan]))])
        #expect(undo.done == "undone" && undo.undo == nil)
        #expect(undo.commands == [["user", "enable", "ming"], ["team", "remove", "tea", "lan"]])
    }

    @Test("there is no undo when one request has no inverse, or when none is asked for")
    func none() {
        let requests: [AdminRequest] = [.setDisabled(Self.ming, true), .revoke(Self.ming, nil)]
        #expect(OperatorAction(requests, done: "done", undone: "undone").undo == nil)
        #expect(OperatorAction([requests[0]], done: "done").undo == nil)
    }
}
