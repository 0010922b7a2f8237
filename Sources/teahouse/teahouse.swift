import CSQLite
import COpenSSL
import CSodium
@main struct Teahouse { static func main() { print(String(cString: sqlite3_libversion()), OPENSSL_version_major(), sodium_init()) } }
