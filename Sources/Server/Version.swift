/// Version of this teahouse.
package enum Version {
    /// Version as `teahouse --version` prints it.
    package static let text = "0.1.0"
}
