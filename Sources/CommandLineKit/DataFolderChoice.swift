import Glibc

/// Which folder holds the server's data: the option, else the environment, else the system's folder when it can be
/// written, else a folder here.
package func chosenDataFolder(
    option: String?, environment: [String: String], systemFolder: String = "/var/lib/teahouse"
) -> String {
    if let option { return option }
    if let named = environment["TEAHOUSE_DATA"], !named.isEmpty { return named }
    return access(systemFolder, W_OK) == 0 ? systemFolder : "./teahouse-data"
}
