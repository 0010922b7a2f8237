/// How the server is.
package struct AdminStatus: AdminRecord {
    package var version: String
    package var processID: Int64
    package var dataFolder: String
    package var startedAtMilliseconds: Int64
    /// Where clients connect: `127.0.0.1:7677`.
    package var addresses: [String]
    /// Sentences about what needs the operator: a full disk, a failed database. Empty when all is well.
    package var troubles: [String]
    package var metrics: [AdminMetric]
    package var limits: [AdminLimit]
    /// When the data folder was last verified; `nil` for never, and when that cannot be told.
    package var lastVerify: AdminLastVerify?

    package init(
        version: String, processID: Int64, dataFolder: String, startedAtMilliseconds: Int64, addresses: [String],
        troubles: [String], metrics: [AdminMetric], limits: [AdminLimit],
        lastVerify: AdminLastVerify? = nil
    ) {
        self.version = version
        self.processID = processID
        self.dataFolder = dataFolder
        self.startedAtMilliseconds = startedAtMilliseconds
        self.addresses = addresses
        self.troubles = troubles
        self.metrics = metrics
        self.limits = limits
        self.lastVerify = lastVerify
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.version = try fields("version", \.version)
        self.processID = try fields("processID", \.processID)
        self.dataFolder = try fields("dataFolder", \.dataFolder)
        self.startedAtMilliseconds = try fields("startedAt", \.startedAtMilliseconds)
        self.addresses = try fields("addresses", \.addresses)
        self.troubles = try fields("troubles", \.troubles)
        self.metrics = try fields("figures", \.metrics)
        self.limits = try fields("limits", \.limits)
        self.lastVerify = try fields("lastVerify", \.lastVerify)
    }
}

/// When the data folder was last verified, and what came of it.
package struct AdminLastVerify: AdminRecord {
    package var atMilliseconds: Int64
    /// How many things were wrong.
    package var findings: Int64
    /// Contents of files were looked at and not read.
    package var isQuick: Bool

    package init(atMilliseconds: Int64, findings: Int64, isQuick: Bool) {
        self.atMilliseconds = atMilliseconds
        self.findings = findings
        self.isQuick = isQuick
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.atMilliseconds = try fields("at", \.atMilliseconds)
        self.findings = try fields("findings", \.findings)
        self.isQuick = try fields("quick", \.isQuick)
    }
}

/// One number about the server. New ones may come without a new version of the protocol.
package struct AdminMetric: AdminRecord {
    /// `messages`, `commitMicrosecondsP99`; screens show a text for it when they know one.
    package var name: String
    package var value: Int64

    package init(_ name: String, _ value: Int64) {
        self.name = name
        self.value = value
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.name = try fields("name", \.name)
        self.value = try fields("value", \.value)
    }
}

/// Something bounded, how much of it is used, and the most that ever was.
package struct AdminLimit: AdminRecord {
    package var name: String
    package var unit: String
    package var current: Int64
    package var peak: Int64
    package var maximum: Int64
    /// How often something was refused because of it.
    package var refusals: Int64

    package init(name: String, unit: String, current: Int64, peak: Int64, maximum: Int64, refusals: Int64) {
        self.name = name
        self.unit = unit
        self.current = current
        self.peak = peak
        self.maximum = maximum
        self.refusals = refusals
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.name = try fields("name", \.name)
        self.unit = try fields("unit", \.unit)
        self.current = try fields("current", \.current)
        self.peak = try fields("peak", \.peak)
        self.maximum = try fields("maximum", \.maximum)
        self.refusals = try fields("refusals", \.refusals)
    }
}
