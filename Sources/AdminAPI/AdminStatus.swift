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
    package var figures: [AdminFigure]
    package var limits: [AdminLimit]
    /// When the data folder was last verified; `nil` for never, and when that cannot be told.
    package var lastVerify: AdminLastVerify?

    package init(
        version: String, processID: Int64, dataFolder: String, startedAtMilliseconds: Int64, addresses: [String],
        troubles: [String], figures: [AdminFigure], limits: [AdminLimit],
        lastVerify: AdminLastVerify? = nil
    ) {
        self.version = version
        self.processID = processID
        self.dataFolder = dataFolder
        self.startedAtMilliseconds = startedAtMilliseconds
        self.addresses = addresses
        self.troubles = troubles
        self.figures = figures
        self.limits = limits
        self.lastVerify = lastVerify
    }

    func write(to fields: inout FieldWriter) {
        fields.text("version", self.version)
        fields.number("processID", self.processID)
        fields.text("dataFolder", self.dataFolder)
        fields.number("startedAt", self.startedAtMilliseconds)
        fields.texts("addresses", self.addresses)
        fields.texts("troubles", self.troubles)
        fields.records("figures", self.figures)
        fields.records("limits", self.limits)
        if let last = self.lastVerify { fields.record("lastVerify", last) }
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.version = try fields.text("version")
        self.processID = try fields.number("processID")
        self.dataFolder = try fields.text("dataFolder")
        self.startedAtMilliseconds = try fields.number("startedAt")
        self.addresses = try fields.texts("addresses")
        self.troubles = try fields.texts("troubles")
        self.figures = try fields.records("figures")
        self.limits = try fields.records("limits")
        self.lastVerify = try fields.has("lastVerify") ? fields.record("lastVerify") : nil
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

    func write(to fields: inout FieldWriter) {
        fields.number("at", self.atMilliseconds)
        fields.number("findings", self.findings)
        fields.flag("quick", self.isQuick)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.atMilliseconds = try fields.number("at")
        self.findings = try fields.number("findings")
        self.isQuick = try fields.flag("quick")
    }
}

/// One number about the server. New ones may come without a new version of the protocol.
package struct AdminFigure: AdminRecord {
    /// `messages`, `commitMicrosecondsP99`; screens show a text for it when they know one.
    package var name: String
    package var value: Int64

    package init(_ name: String, _ value: Int64) {
        self.name = name
        self.value = value
    }

    func write(to fields: inout FieldWriter) {
        fields.text("name", self.name)
        fields.number("value", self.value)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.name = try fields.text("name")
        self.value = try fields.number("value")
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

    func write(to fields: inout FieldWriter) {
        fields.text("name", self.name)
        fields.text("unit", self.unit)
        fields.number("current", self.current)
        fields.number("peak", self.peak)
        fields.number("maximum", self.maximum)
        fields.number("refusals", self.refusals)
    }

    init(_ fields: FieldReader) throws(AdminError) {
        self.name = try fields.text("name")
        self.unit = try fields.text("unit")
        self.current = try fields.number("current")
        self.peak = try fields.number("peak")
        self.maximum = try fields.number("maximum")
        self.refusals = try fields.number("refusals")
    }
}
