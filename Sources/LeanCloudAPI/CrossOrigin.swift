import APIKit

/// Pages of any origin use this API: the keys are in the header fields, and there are no cookies.
enum CrossOrigin {
    static let anybody = ("Access-Control-Allow-Origin", "*")

    /// Source: LeanCloud's answer to a preflight, as its JavaScript SDK needs it for an upload from a browser.
    static let preflight: APIAnswer = {
        var answer = APIAnswer(status: 200, body: [])
        answer.headers = [
            ("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE, OPTIONS, PATCH"),
            ("Access-Control-Allow-Headers", Self.fields.joined(separator: ", ")),
            ("Access-Control-Max-Age", "86400"),
        ]
        return answer
    }()

    private static let fields = [
        "Content-Type", "X-LC-Id", "X-LC-Key", "X-LC-Sign", "X-LC-Session", "X-LC-IM-Session-Token", "X-LC-Prod",
        "X-LC-UA",
        "X-AVOSCloud-Application-Id", "X-AVOSCloud-Application-Key", "X-AVOSCloud-Master-Key",
        "X-AVOSCloud-Request-Sign", "X-AVOSCloud-Session-Token", "X-AVOSCloud-Application-Production",
        "X-Requested-With",
    ]
}
