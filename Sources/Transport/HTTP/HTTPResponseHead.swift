/// How a response is written. Source: RFC 9112 sections 4 to 7, RFC 9110 section 15.
package enum HTTPResponseHead {
    /// How the end of the response body is told.
    enum Length {
        case exact(Int)
        case chunked
        /// To an HTTP/1.0 client: the connection closes at the end.
        case untilClose
        /// 1xx, 204 and 304 have no body at all.
        case none
    }

    static func text(
        status: Int, fields: [(String, String)], length: Length, date: String, closes: Bool, keepsAlive10: Bool
    ) -> String {
        var text = "HTTP/1.1 \(status) \(Self.phrase(status))\r\nDate: \(date)\r\n"
        for (name, value) in fields {
            precondition(!value.utf8.contains { $0 < 0x20 && $0 != 0x09 }, "control character in header \(name)")
            text += "\(name): \(value)\r\n"
        }
        switch length {
        case .exact(let count): text += "Content-Length: \(count)\r\n"
        case .chunked: text += "Transfer-Encoding: chunked\r\n"
        case .untilClose, .none: break
        }
        if closes { text += "Connection: close\r\n" } else if keepsAlive10 { text += "Connection: keep-alive\r\n" }
        return text + "\r\n"
    }

    static func hasBody(_ status: Int) -> Bool { status >= 200 && status != 204 && status != 304 }

    static func phrase(_ status: Int) -> String {
        switch status {
        case 101: "Switching Protocols"
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 206: "Partial Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 303: "See Other"
        case 304: "Not Modified"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 411: "Length Required"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 415: "Unsupported Media Type"
        case 416: "Range Not Satisfiable"
        case 417: "Expectation Failed"
        case 421: "Misdirected Request"
        case 423: "Locked"
        case 426: "Upgrade Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 460: "Checksum Mismatch"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        case 507: "Insufficient Storage"
        default: status < 400 ? "OK" : "Error"
        }
    }

    /// `Sun, 06 Nov 1994 08:49:37 GMT`. Source: RFC 9110 section 5.6.7.
    package static func date(wallMilliseconds: Int64) -> String {
        let seconds = wallMilliseconds / 1000
        let day = Int(seconds / 86_400)
        let ofDay = Int(seconds % 86_400)
        let (year, month, dayOfMonth) = Self.civil(daysSince1970: day)
        let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][day % 7]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let time = [ofDay / 3600, ofDay / 60 % 60, ofDay % 60].map(Self.twoDigits).joined(separator: ":")
        return "\(weekday), \(Self.twoDigits(dayOfMonth)) \(months[month - 1]) \(year) \(time) GMT"
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }

    /// The Gregorian date of a day number from 1970 on; years are counted from March, so that leap days come last.
    private static func civil(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = shifted / 146_097
        let ofEra = shifted % 146_097
        let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let fromMarch = (5 * ofYear + 2) / 153
        let month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, ofYear - (153 * fromMarch + 2) / 5 + 1)
    }
}
