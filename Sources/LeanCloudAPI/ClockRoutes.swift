import APIKit
import ByteCodec
import Execution
import LeanCloudTranslation

/// Route for the server's time. Anybody may ask: the Python SDK shows no keys for it.
struct ClockRoutes: Sendable {
    let clock: Clock

    var routes: [Route] {
        [
            Route("GET", "/1.1/date", .anyone) { _, _, reply in
                reply(.json(LeanCloudDates.typed(self.clock.wallMilliseconds())))
            }
        ]
    }
}
