// swift-tools-version: 6.2
import PackageDescription

/// Every Swift target: language mode 6, imports private to the file unless said otherwise, and no warning passes.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .treatAllWarnings(as: .error),
]

/// The four modules that every other one may import.
let common: [Target.Dependency] = ["ChatModel", "ByteCodec", "Execution", "Diagnostics"]

/// Settings of what is installed: Swift's regular expressions stay out, for their engine is a megabyte. They would come
/// with the first `contains("text")` or `replacing`; `contains(run:)` and `RegularExpressions` are there instead.
let installed: [SwiftSetting] =
    strict + [.unsafeFlags(["-Xfrontend", "-disable-implicit-string-processing-module-import"])]

/// Settings of what waits for a person, a disk or a network: a release is compiled for size.
let small: [SwiftSetting] = installed + [.unsafeFlags(["-Osize"], .when(configuration: .release))]

/// A module of the server, in `Sources`. `docs/architecture.md` holds the table of who may import whom, and
/// `ArchitectureTests` compares it with the import lines.
func module(_ name: String, _ dependencies: [Target.Dependency], settings: [SwiftSetting] = installed) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// A C library of the system, behind the module that imports it. It is linked from its archives, so that one binary
/// runs on a machine without it.
func wrapper(_ name: String, archives: [String] = [], system: [String] = []) -> Target {
    .target(
        name: name,
        linkerSettings: archives.map { .linkedLibrary(":lib\($0).a") } + system.map { .linkedLibrary($0) })
}

/// A library of `Tests/Tools`, never installed.
func toolKit(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: "Tests/Tools/\(name)", swiftSettings: strict)
}

/// A program of `Tests/Tools`, never installed.
func tool(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: "Tests/Tools/\(name)", swiftSettings: strict)
}

/// The tests of one module, in `Tests`.
func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: "\(name)Tests", dependencies: dependencies, swiftSettings: strict)
}

let package = Package(
    name: "teahouse",
    targets: [
        // C libraries, wrapped where Swift cannot see a macro or a variadic function.
        wrapper("CLinux"),
        wrapper("CSQLite", archives: ["sqlite3"], system: ["m"]),
        wrapper("COpenSSL", archives: ["ssl", "crypto"]),
        wrapper("CSodium", archives: ["sodium"]),
        wrapper("CZlib", archives: ["z"]),
        wrapper("CNcurses", archives: ["ncursesw", "tinfo"]),
        wrapper("CChecksum"),

        // The common four.
        module("ChatModel", []),
        module("ByteCodec", []),
        module("Execution", ["CLinux"]),
        module("Diagnostics", ["Execution", "CLinux"]),
        module("RegularExpressions", []),
        module("QRCode", []),

        // The server.
        module("Configuration", common, settings: small),
        module("Localization", common + ["CAssets"], settings: small),
        .target(name: "CAssets", cSettings: [.headerSearchPath("../../assets")]),
        module("Transport", ["ByteCodec", "Execution", "Diagnostics", "CLinux", "COpenSSL"]),
        module("HTTPClient", ["ByteCodec", "Execution", "Diagnostics", "Transport", "CLinux", "COpenSSL"]),
        module("SQLite", ["CSQLite", "CLinux"]),
        module("MessageLog", common + ["CChecksum", "CLinux"]),
        module("Store", common + ["MessageLog", "SQLite", "COpenSSL", "CLinux"]),
        module("FileStore", common + ["CZlib", "COpenSSL", "CLinux"]),
        module("Transfers", common + ["Store", "FileStore", "COpenSSL", "CLinux"]),
        module("Profiles", common + ["Store", "HTTPClient", "Localization", "CLinux"]),
        module("Accounts", common + ["Store", "COpenSSL", "CSodium", "CLinux"]),
        module("Backup", common + ["Store", "FileStore", "CLinux"], settings: small),
        module("Doctor", common + ["Store", "CLinux"], settings: small),
        module("Broker", common + ["Store"]),
        module("LeanCloudQuery", ["ByteCodec", "RegularExpressions"]),
        module("LeanCloudWire", ["ByteCodec"]),
        module("ContentTranslation", common + ["LeanCloudWire", "Localization"]),
        module("Search", common + ["SQLite", "Store", "ContentTranslation", "CLinux"]),
        module(
            "LeanCloudTranslation",
            common + ["LeanCloudWire", "LeanCloudQuery", "ContentTranslation", "Store", "Broker"]),
        module(
            "LeanCloudGateway",
            common + [
                "LeanCloudWire", "LeanCloudQuery", "LeanCloudTranslation", "Transport", "Store", "Broker", "Accounts",
            ]),
        module("WuKongWire", ["ByteCodec"]),
        module("WuKongCrypto", ["ByteCodec", "COpenSSL"]),
        module(
            "WuKongTranslation",
            common + ["WuKongWire", "ContentTranslation", "Store", "Broker", "Profiles", "Localization"]),
        module(
            "WuKongGateway",
            common + [
                "WuKongWire", "WuKongCrypto", "WuKongTranslation", "Transport", "Store", "Broker", "Accounts",
            ]),
        module("APIKit", common + ["Transport", "Store", "Search", "Broker", "Accounts"]),
        module(
            "NativeAPI",
            common + [
                "APIKit", "ContentTranslation", "Localization", "QRCode", "Transport", "Store", "Search", "Profiles",
                "Broker", "Accounts",
            ]),
        module(
            "APIGateway",
            common + [
                "APIKit", "NativeAPI", "Transport", "Store", "FileStore", "Transfers", "Profiles", "Broker", "Accounts",
                "CLinux",
            ]),
        module(
            "WuKongAPI",
            common + [
                "APIKit", "WuKongWire", "WuKongTranslation", "Transport", "Store", "Search", "FileStore", "Transfers",
                "Profiles", "Broker", "Accounts",
            ]),
        module(
            "LeanCloudAPI",
            common + [
                "APIKit", "LeanCloudWire", "LeanCloudQuery", "LeanCloudTranslation", "Transport", "Store", "FileStore",
                "Transfers", "Profiles", "Broker", "Accounts",
            ]),
        module(
            "Hooks",
            common + [
                "Store", "Broker", "HTTPClient", "WuKongWire", "WuKongTranslation", "LeanCloudTranslation", "CLinux",
            ]),
        module(
            "LeanCloudExport",
            common + ["Store", "FileStore", "Accounts", "LeanCloudAPI", "LeanCloudTranslation", "LeanCloudPull"],
            settings: small),
        module(
            "LeanCloudPull",
            common + ["HTTPClient", "Transport", "LeanCloudTranslation", "CZlib", "COpenSSL", "CLinux"], settings: small
        ),
        module(
            "WuKongPull", common + ["HTTPClient", "Transport", "LeanCloudPull", "WuKongWire"], settings: small),
        module("WuKongImport", common + ["WuKongTranslation", "WuKongWire", "Store"], settings: small),
        module("LeanCloudImport", common + ["LeanCloudTranslation", "LeanCloudWire", "LeanCloudQuery", "Store"]),
        module(
            "Monitoring",
            common + [
                "Transport", "Store", "FileStore", "Transfers", "Profiles", "Search", "Accounts", "Broker", "Hooks",
                "CLinux",
            ], settings: small),
        module(
            "Imports",
            common + [
                "LeanCloudImport", "LeanCloudPull", "LeanCloudTranslation", "WuKongImport", "Store", "Accounts",
                "Transfers",
            ],
            settings: small),
        module("CommandLineKit", ["ByteCodec", "CLinux", "Diagnostics"], settings: small),
        module("AdminAPI", common + ["CLinux"], settings: small),
        module(
            "AdminConsole",
            common + [
                "AdminAPI", "Localization", "CommandLineKit", "QRCode", "RegularExpressions", "CNcurses", "CLinux",
            ], settings: small),
        module(
            "AdminService",
            common + [
                "APIKit", "AdminAPI", "Accounts", "Backup", "Broker", "Store", "Search", "FileStore", "Transfers",
                "Profiles", "Transport",
                "WuKongTranslation", "ContentTranslation", "Localization", "Imports", "CLinux",
            ], settings: small),
        module(
            "Server",
            common + [
                "Configuration", "Transport", "Store", "Accounts", "Broker", "WuKongGateway", "APIKit", "APIGateway",
                "NativeAPI", "WuKongAPI", "LeanCloudAPI", "AdminAPI", "AdminService", "FileStore", "Transfers",
                "Profiles", "Search", "Backup",
                "HTTPClient", "Hooks", "Doctor", "Monitoring", "ContentTranslation", "WuKongTranslation",
                "LeanCloudTranslation",
                "LeanCloudGateway", "Localization", "QRCode", "CAssets", "CLinux", "COpenSSL", "CZlib",
            ], settings: small),

        // What is installed.
        .executableTarget(
            name: "teahouse",
            dependencies: common + [
                "Server", "Configuration", "Localization", "Backup", "Store", "FileStore", "Doctor", "Transport",
                "AdminAPI",
                "AdminConsole", "CommandLineKit", "QRCode", "Profiles", "LeanCloudTranslation", "LeanCloudPull",
                "LeanCloudExport", "Imports", "Transfers", "APIKit", "WuKongPull", "LeanCloudWire", "HTTPClient",
                "ContentTranslation", "CAssets", "CLinux",
                "COpenSSL", "CSodium",
            ],
            swiftSettings: small),

        // Tools that measure the product or break it, and what the tests share.
        .target(name: "CBench", path: "Tests/Tools/CBench"),
        toolKit("BenchKit", ["WuKongWire", "WuKongCrypto", "LeanCloudWire", "CBench", "CLinux"]),
        tool("teahouse-bench", ["BenchKit"]),
        tool("store-bench", common + ["Store", "CLinux"]),
        tool("file-bench", ["ChatModel", "FileStore", "CLinux"]),
        tool("log-bench", common + ["MessageLog", "CLinux"]),
        tool("profile-bench", common + ["Profiles", "Store"]),
        tool("record-bench", ["AdminAPI", "ByteCodec", "ChatModel"]),
        tool("search-bench", common + ["Search", "Store", "CLinux"]),
        tool("transport-echo", ["Transport", "Diagnostics", "Execution"]),
        tool("leancloud-echo", ["ByteCodec", "LeanCloudWire"]),
        tool("powercut-replay", ["ChatModel", "FileStore", "Store"]),
        tool("teahouse-mutant", ["Server", "Configuration", "Execution", "FileStore", "MessageLog", "Store"]),
        toolKit(
            "TeahouseTesting",
            common + [
                "Server", "Store", "Accounts", "Broker", "Transport", "WuKongWire", "WuKongCrypto", "LeanCloudWire",
                "LeanCloudGateway",
            ]),

        // Tests.
        tests("Accounts", common + ["Accounts", "Store"]),
        tests("AdminAPI", common + ["AdminAPI"]),
        tests("AdminConsole", common + ["AdminConsole", "AdminAPI", "CommandLineKit", "Localization"]),
        tests(
            "AdminService",
            common + [
                "AdminService", "AdminAPI", "Accounts", "Broker", "FileStore", "Localization", "Profiles", "Store",
                "Transfers", "WuKongTranslation", "CLinux",
            ]),
        tests(
            "APIGateway",
            common + ["APIGateway", "APIKit", "Transport", "Store", "FileStore", "Transfers", "Accounts", "CZlib"]),
        tests("APIKit", common + ["APIKit", "Store", "Broker"]),
        tests("Architecture", []),
        tests(
            "ContentTranslation",
            common + ["ContentTranslation", "WuKongTranslation", "WuKongWire", "LeanCloudTranslation"]),
        tests(
            "BenchKit",
            ["BenchKit", "WuKongWire", "WuKongCrypto", "LeanCloudWire", "CBench", "CLinux", "Execution"]),
        tests("Broker", common + ["Broker", "Store"]),
        tests("ByteCodec", ["ByteCodec"]),
        tests("ChatModel", ["ChatModel"]),
        tests(
            "Command",
            common + [
                "CommandLineKit", "Localization", "teahouse", "AdminService", "AdminAPI", "AdminConsole", "Accounts",
                "Broker", "QRCode", "FileStore", "Profiles", "Store", "Transfers", "WuKongTranslation",
            ]),
        tests("Configuration", ["Configuration"]),
        tests("Backup", common + ["Backup", "Store", "TeahouseTesting"]),
        tests("Doctor", common + ["Doctor", "Store", "CLinux"]),
        tests("FileStore", ["ChatModel", "FileStore", "Execution", "TeahouseTesting", "CLinux"]),
        tests(
            "HTTPClient",
            ["HTTPClient", "TeahouseTesting", "Transport", "Execution", "Diagnostics", "COpenSSL", "CLinux"]),
        tests("QRCode", ["QRCode"]),
        tests("Hooks", common + ["Hooks", "HTTPClient", "Broker", "Store", "TeahouseTesting", "WuKongWire", "CLinux"]),
        tests(
            "LeanCloudAPI",
            common + [
                "APIKit", "LeanCloudAPI", "LeanCloudTranslation", "LeanCloudWire", "Server", "Store", "Broker",
                "Accounts", "TeahouseTesting", "Hooks", "HTTPClient",
            ]),
        tests("LeanCloudPull", common + ["LeanCloudPull", "HTTPClient", "CZlib", "TeahouseTesting"]),
        tests("WuKongPull", common + ["WuKongPull", "LeanCloudPull", "HTTPClient", "TeahouseTesting"]),
        tests("WuKongImport", common + ["WuKongImport", "WuKongTranslation", "Store"]),
        tests("LeanCloudImport", common + ["LeanCloudImport", "LeanCloudTranslation", "Store"]),
        tests("LeanCloudQuery", ["ByteCodec", "LeanCloudQuery", "RegularExpressions"]),
        tests("LeanCloudWire", ["ByteCodec", "LeanCloudWire"]),
        tests(
            "LeanCloudTranslation",
            common + [
                "LeanCloudTranslation", "LeanCloudWire", "LeanCloudQuery", "ContentTranslation", "Store", "Broker",
            ]),
        tests(
            "LeanCloudGateway",
            common + [
                "TeahouseTesting", "Server", "LeanCloudGateway", "LeanCloudTranslation", "LeanCloudWire", "Transport",
                "Store", "Broker", "Accounts", "Hooks", "HTTPClient",
            ]),
        tests("Localization", ["Localization", "ByteCodec"]),
        tests("MessageLog", common + ["MessageLog", "CLinux"]),
        tests("Monitoring", common + ["Monitoring", "Broker", "Hooks", "Store", "Transport"]),
        tests("NativeAPI", common + ["NativeAPI", "APIKit", "WuKongAPI", "Localization"]),
        tests("Profiles", common + ["Profiles", "Localization", "Store", "HTTPClient", "TeahouseTesting"]),
        tests(
            "Scenario",
            common + [
                "TeahouseTesting", "Server", "Store", "Accounts", "Broker", "Transport", "WuKongAPI", "WuKongWire",
                "WuKongCrypto", "HTTPClient", "Hooks", "Configuration", "AdminAPI", "Profiles", "CommandLineKit",
                "Localization", "Transfers", "LeanCloudWire", "LeanCloudTranslation", "LeanCloudPull", "Imports",
                "WuKongPull", "COpenSSL",
                "teahouse",
            ]),
        tests("Search", common + ["Search", "Store"]),
        tests("Store", common + ["Store", "MessageLog", "CLinux"]),
        tests("Transfers", common + ["Transfers", "Store", "FileStore", "TeahouseTesting", "CLinux"]),
        tests("Transport", ["Transport", "Execution", "Diagnostics", "COpenSSL", "CLinux"]),
        tests(
            "WuKongAPI",
            common + [
                "APIKit", "WuKongAPI", "WuKongWire", "WuKongTranslation", "Transport", "Store", "Broker", "Accounts",
            ]),
        tests(
            "WuKongGateway",
            common + [
                "WuKongGateway", "WuKongWire", "WuKongCrypto", "WuKongTranslation", "Transport", "Store", "Broker",
                "Accounts",
            ]),
        tests(
            "WuKongTranslation", common + ["WuKongTranslation", "ContentTranslation", "WuKongWire", "Store", "Broker"]),
        tests("WuKongCrypto", ["ByteCodec", "WuKongCrypto"]),
        tests("WuKongWire", ["ByteCodec", "WuKongCrypto", "WuKongWire"]),
    ],
    swiftLanguageModes: [.v6]
)
