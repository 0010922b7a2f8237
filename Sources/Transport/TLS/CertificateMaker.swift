import COpenSSL

/// Makes the certificates of our own authority.
enum CertificateMaker {
    private static let day: Int64 = 86_400
    private static let authorityDays: Int64 = 3650
    /// Apple's platforms refuse server certificates over 398 days.
    private static let leafDays: Int64 = 397
    /// Clocks in a server disagree.
    private static let clockSkewSeconds: Int64 = 3600

    /// Names that only mean something inside a network, and the addresses that do; the authority can sign nothing else.
    private static let permitted = [
        "DNS:localhost", "DNS:local", "DNS:lan", "DNS:home.arpa", "DNS:internal",
        "IP:127.0.0.0/255.0.0.0", "IP:10.0.0.0/255.0.0.0", "IP:172.16.0.0/255.240.0.0",
        "IP:192.168.0.0/255.255.0.0", "IP:100.64.0.0/255.192.0.0", "IP:169.254.0.0/255.255.0.0",
        "IP:::1/ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "IP:fc00::/fe00::", "IP:fe80::/ffc0::",
    ]

    /// The authority: ten years, signs servers only and no other authority, and is bound by critical name constraints,
    /// so that whoever installs it trusts it for this server alone.
    ///
    /// Source: RFC 5280 sections 4.2.1.9 and 4.2.1.10.
    static func authority(key: PrivateKey, hostName: String, unixSeconds: Int64) throws(TransportError) -> Certificate {
        let names = self.permitted + (Self.isHostName(hostName) ? ["DNS:\(hostName)"] : [])
        let constraints = names.map { "permitted;\($0)" }.joined(separator: ",")
        return try Self.make(
            commonName: "\(TLSSettings.authorityName) \(hostName)", key: key, issuer: nil, issuerKey: key,
            validity: unixSeconds - Self.clockSkewSeconds...unixSeconds + Self.authorityDays * Self.day,
            extensions: [
                (NID_basic_constraints, "critical,CA:TRUE,pathlen:0"),
                (NID_key_usage, "critical,keyCertSign,cRLSign"),
                (NID_name_constraints, "critical,\(constraints)"),
                (NID_subject_key_identifier, "hash"),
            ])
    }

    /// A server certificate; `names` are names and address literals.
    static func leaf(
        key: PrivateKey, names: [String], authority: Certificate, authorityKey: PrivateKey, unixSeconds: Int64
    ) throws(TransportError) -> Certificate {
        let start = unixSeconds - Self.clockSkewSeconds
        return try Self.make(
            commonName: "teahouse", key: key, issuer: authority, issuerKey: authorityKey,
            validity: start...start + Self.leafDays * Self.day,
            extensions: [
                (NID_basic_constraints, "critical,CA:FALSE"),
                (NID_key_usage, "critical,digitalSignature"),
                (NID_ext_key_usage, "serverAuth"),
                (NID_subject_alt_name, Self.alternativeNames(names)),
                (NID_subject_key_identifier, "hash"),
                (NID_authority_key_identifier, "keyid"),
            ])
    }

    /// Returns the members of `names` that the authority may sign. The constraints come from the authority's
    /// certificate, not from our list: it may be older.
    static func permitted(_ names: [String], by authority: Certificate) -> [String] {
        guard let found = X509_get_ext_d2i(authority.pointer, NID_name_constraints, nil, nil) else { return names }
        let constraints = OpaquePointer(found)
        let typed = UnsafeMutablePointer<NAME_CONSTRAINTS>(constraints)
        defer { NAME_CONSTRAINTS_free(typed) }
        return names.filter { name in
            guard let probe = X509_new() else { return false }
            let certificate = Certificate(owning: probe)
            guard (try? Self.add(NID_subject_alt_name, Self.alternativeNames([name]), to: certificate, nil)) != nil
            else { return false }
            // Reading a certificate's extensions is what fills the fields that the check looks at.
            X509_check_purpose(probe, -1, 0)
            return NAME_CONSTRAINTS_check(probe, typed) == X509_V_OK
        }
    }

    /// Letters, digits, `-` and `.`: what may stand in a certificate without quoting.
    static func isHostName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 253
            && name.utf8.allSatisfy {
                ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
            }
    }

    private static func alternativeNames(_ names: [String]) -> String {
        names.map { IPAddress($0) == nil ? "DNS:\($0)" : "IP:\($0)" }.joined(separator: ",")
    }

    private static func make(
        commonName: String, key: PrivateKey, issuer: Certificate?, issuerKey: PrivateKey,
        validity: ClosedRange<Int64>, extensions: [(Int32, String)]
    ) throws(TransportError) -> Certificate {
        guard let pointer = X509_new() else { throw openSSLError("make a certificate") }
        let certificate = Certificate(owning: pointer)
        X509_set_version(pointer, 2)
        try Self.setSerialNumber(of: certificate)
        guard ASN1_TIME_set(X509_getm_notBefore(pointer), time_t(validity.lowerBound)) != nil,
            ASN1_TIME_set(X509_getm_notAfter(pointer), time_t(validity.upperBound)) != nil,
            X509_set_pubkey(pointer, key.pointer) == 1
        else { throw openSSLError("fill in a certificate") }
        let name = X509_get_subject_name(pointer)
        let shortName = String(decoding: commonName.utf8.prefix(64), as: UTF8.self)
        X509_NAME_add_entry_by_txt(name, "O", MBSTRING_UTF8, "teahouse", -1, -1, 0)
        X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, shortName, -1, -1, 0)
        X509_set_issuer_name(pointer, X509_get_subject_name(issuer?.pointer ?? pointer))
        for (identifier, value) in extensions {
            try Self.add(identifier, value, to: certificate, issuer ?? certificate)
        }
        guard X509_sign(pointer, issuerKey.pointer, EVP_sha256()) > 0 else { throw openSSLError("sign a certificate") }
        return certificate
    }

    /// 127 random bits. Source: RFC 5280 section 4.1.2.2.
    private static func setSerialNumber(of certificate: Certificate) throws(TransportError) {
        var bytes = [UInt8](repeating: 0, count: 16)
        guard RAND_bytes(&bytes, Int32(bytes.count)) == 1 else { throw openSSLError("get random bytes") }
        bytes[0] = bytes[0] & 0x7F | 0x40
        let number = BN_bin2bn(bytes, Int32(bytes.count), nil)
        defer { BN_free(number) }
        BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate.pointer))
    }

    private static func add(
        _ identifier: Int32, _ value: String, to certificate: Certificate, _ issuer: Certificate?
    ) throws(TransportError) {
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, issuer?.pointer, certificate.pointer, nil, nil, 0)
        guard let item = X509V3_EXT_conf_nid(nil, &context, identifier, value) else {
            throw openSSLError("write the extension \(value)")
        }
        defer { X509_EXTENSION_free(item) }
        X509_add_ext(certificate.pointer, item, -1)
    }
}
