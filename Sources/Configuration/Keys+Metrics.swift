/// Metrics for Prometheus.
extension Keys {
    package static let metricsListen = SettingKey<[String]>(
        "metrics.listen", [],
        """
        Addresses for monitoring, HOST:PORT, such as 127.0.0.1:7679: /metrics, /healthz and /readyz, nothing else. Empty: \
        none.
        """)
    package static let metricsAllow = SettingKey<[String]>(
        "metrics.allow", ["127.0.0.0/8", "::1"],
        "Addresses and networks that may read /metrics there, as long as no token is set.")
    package static let metricsTokenFile = SettingKey<String>(
        "metrics.token_file", "",
        """
        File with a token of 16 to 1024 bytes that only teahouse may read; with it, /metrics is for who shows the token, \
        from any address.
        """)
    package static let metricsOnListen = SettingKey<Bool>(
        "metrics.on_listen", false,
        "Answer /metrics on the addresses of listen too; it needs a token.")

    static let metrics: [SettingDefinition] = [
        metricsListen.definition, metricsAllow.definition, metricsTokenFile.definition, metricsOnListen.definition,
    ]
}
