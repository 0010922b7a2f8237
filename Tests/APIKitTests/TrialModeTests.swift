import Testing
import Transport

@testable import APIKit

struct TrialModeTests {
    @Test(
        "only direct peers of loopback and private networks are of the trial",
        arguments: [
            (PeerAddress.Scope.loopback, false, true), (.privateNetwork, false, true), (.publicNetwork, false, false),
            (.loopback, true, false), (.privateNetwork, true, false), (.publicNetwork, true, false),
        ])
    func peers(scope: PeerAddress.Scope, isPassedOn: Bool, isTaken: Bool) {
        #expect(TrialSettings.takesPeers(of: scope, isPassedOn: isPassedOn) == isTaken)
    }
}
