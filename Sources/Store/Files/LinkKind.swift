/// The use of a link to a file; the numbers are stored in `file_link.kind`.
enum LinkKind: Int64 {
    case read = 0
    case upload = 1
}
