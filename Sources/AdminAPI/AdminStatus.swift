/// State of the server.
package struct AdminStatus: AdminRecord {
    /// Version of the program.
    package var version: String
    /// ID of the server's process.
    package var processID: Int64
    /// Path of the data folder.
    package var dataFolder: String
    /// Time of the start, UTC milliseconds.
    package var startedAtMilliseconds: Int64
    /// Addresses on which clients connect: `127.0.0.1:7677`.
    package var addresses: [String]
    /// Problems that need the operator, one sentence each: a full disk, a failed database. Empty when there are none.
    package var troubles: [String]
    /// Metrics since the start.
    package var metrics: [AdminMetric]
    /// Limits with their use.
    package var limits: [AdminLimit]
    /// Last verification of the data folder; `nil` for none, and when it is not known.
    package var lastVerify: AdminLastVerify?
    /// Last backup that was verified; `nil` for none, and when it is not known.
    package var lastBackup: AdminLastBackup?
    /// Copy of the database from before the last upgrade; `nil` for none.
    package var upgradeCopy: AdminUpgradeCopy?
    /// Address that people type, `http://192.168.1.5:7677`; `nil` when the server knows none.
    package var publicAddress: String?

    package init(
        version: String, processID: Int64, dataFolder: String, startedAtMilliseconds: Int64, addresses: [String],
        troubles: [String], metrics: [AdminMetric], limits: [AdminLimit],
        lastVerify: AdminLastVerify? = nil, lastBackup: AdminLastBackup? = nil
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
        self.lastBackup = lastBackup
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
        self.lastBackup = try fields("lastBackup", \.lastBackup)
        self.upgradeCopy = try fields("upgradeCopy", \.upgradeCopy)
        self.publicAddress = try fields("publicAddress", \.publicAddress)
    }
}

/// Copy of the database from before an upgrade, which `teahouse rollback` puts back.
package struct AdminUpgradeCopy: AdminRecord {
    /// Time of the copy, UTC milliseconds.
    package var atMilliseconds: Int64
    /// Version of the schema in it.
    package var schema: Int64
    /// Size of the database in it, bytes.
    package var bytes: Int64

    package init(atMilliseconds: Int64, schema: Int64, bytes: Int64) {
        self.atMilliseconds = atMilliseconds
        self.schema = schema
        self.bytes = bytes
    }

    init(_ fields: AdminFields<Self>) throws(AdminError) {
        self.atMilliseconds = try fields("at", \.atMilliseconds)
        self.schema = try fields("schema", \.schema)
        self.bytes = try fields("bytes", \.bytes)
    }
}

/// Last verification of the data folder, with its result.
package struct AdminLastVerify: AdminRecord {
    /// Time of the verification, UTC milliseconds.
    package var atMilliseconds: Int64
    /// Number of problems found.
    package var findings: Int64
    /// True when the contents of files were not read.
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

/// One metric of the server. New ones may come without a new version of the protocol.
package struct AdminMetric: AdminRecord {
    /// Name: `messages`, `commitMicrosecondsP99`. Screens show a translated text for names that they know.
    package var name: String
    /// Value; the name tells the unit.
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

/// A bounded resource: its use now, its peak and its maximum.
package struct AdminLimit: AdminRecord {
    /// Name of the resource.
    package var name: String
    /// Unit of the three numbers.
    package var unit: String
    /// Use now.
    package var current: Int64
    /// Highest use since the start.
    package var peak: Int64
    /// Bound.
    package var maximum: Int64
    /// Number of refusals because of the bound.
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
