import APIKit
import ByteCodec
import Execution
import LeanCloudTranslation

/// What time it is here.
struct ClockArea: Sendable {
    let clock: Clock

    var routes: [Route] {
        [
            Route("GET", "/1.1/date", .caller) { _, _, reply in
                reply(.json(LeanCloudTime.object(milliseconds: self.clock.wallMilliseconds())))
            }
        ]
    }
}
