import APIKit
import Accounts
import Broker
import ChatModel

/// A person's own password.
enum PasswordRoutes {
    static let routes: [NativeRoute] = [
        NativeRoute(
            "PUT", "/me/password", "changePassword",
            "Replaces the password of the person. Devices that are signed in stay so, unless the others are to end.",
            body: [
                .required("current", .text(1...256)), .required("password", .text(1...256)),
                .optional("endsOthers", .flag, "Signs every other device out with the change; false by default."),
            ],
            answer: .done,
            problems: [.wrongPassword, .plainNotAllowed, .unusableField, .changedMeanwhile], Self.change)
    ]

    @Sendable private static func change(_ call: NativeCall) throws(Problem) {
        let (request, person, broker) = (call.request, call.person, call.services.broker)
        // The proof is refused too, but the new password crosses the network with it.
        guard request.mayShowPassword(to: call.services) else { throw Problem(SignInRefusal.plainNotAllowed) }
        let kept = call.input.flag("endsOthers") == true ? try SessionRoutes.device(call) : nil
        let proof = SignInRequest(
            user: person.name, credentials: .password(call.input.known("current")),
            requestedClass: person.deviceClass, address: request.peer.text, throttleKey: request.peer.throttleKey,
            isEncrypted: request.isEncrypted, origin: request.peer.signInOrigin)
        call.services.accounts.changeOwnPassword(proof, to: call.input.known("password"), keepingOnly: kept) { result in
            switch result {
            case .success(let classes):
                SessionRoutes.endSessions(of: person.user, classes, broker)
                call.done()
            // Not 401: the token is good.
            case .failure(.proof(.wrongCredentials)):
                call.fail(Problem(.wrongPassword, "the present password is wrong", field: "current"))
            case .failure(.proof(let refusal)): call.fail(Problem(refusal))
            case .failure(.change(let error)): call.fail(Problem(error))
            }
        }
    }
}
