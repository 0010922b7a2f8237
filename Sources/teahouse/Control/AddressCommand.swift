import AdminAPI
import ByteCodec
import CommandLineKit

/// `teahouse ctl address`
let addressCommand = Command(
    "address", summary: "command.ctl.address",
    examples: ["teahouse ctl --data /srv/teahouse address", "teahouse ctl address --json"],
    body: Control.command { control throws(CommandFailure) in
        guard case .status(let status) = try control.ask(.status) else { throw control.unexpectedAnswer }
        guard let address = status.publicAddress else {
            let bound = status.addresses.joined(separator: ", ")
            throw CommandFailure(.refused, control.text("ctl.address.hereOnly", ["addresses": bound]))
        }
        guard control.wantsJSON else { return try control.print(link: address) }
        let answer = JSONValue.object([
            .init("address", .string(address)), .init("listens", .array(status.addresses.map { .string($0) })),
        ])
        try control.print(json: answer.serialized())
    })
