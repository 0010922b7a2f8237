/// Bounds of the operator's announcements to people.
package enum NoticeBounds {
    /// Unicode scalars.
    package static let titleScalars = 64
    /// Bytes; escaped, a page of announcements fits a line of the admin socket.
    package static let textBytes = 8 * 1024
    /// Teams one announcement can be for.
    package static let teams = 100
    /// Announcements in one page.
    package static let page = 20
    /// People to whom it is sent in one step: one transaction of the writer, and so many messages to the broker.
    package static let peopleAtOnce = 200
}
