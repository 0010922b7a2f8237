// swift-tools-version: 6.2
import PackageDescription

/// Every Swift target: language mode 6, imports private to the file unless said otherwise, and no warning passes.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .treatAllWarnings(as: .error),
]

/// A module of the server. `docs/architecture.md` holds the table of who may import whom, and
/// `ArchitectureTests` compares it with the import lines.
func module(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .target(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict)
}

/// A test target for the module of the same name.
func tests(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = []) -> Target {
    .testTarget(name: "\(name)Tests", dependencies: dependencies, resources: resources, swiftSettings: strict)
}

/// What every module may import.
let common: [Target.Dependency] = ["ChatModel", "ByteCodec", "Execution", "Diagnostics"]

/// C libraries are linked from their archives, so that one binary runs on a machine without them.
func library(_ archive: String) -> LinkerSetting { .linkedLibrary(":lib\(archive).a") }

let package = Package(
    name: "teahouse",
    targets: [
        // C libraries, wrapped where Swift cannot see a macro or a variadic function.
        .target(name: "CLinux"),
        .target(name: "CSQLite", linkerSettings: [library("sqlite3"), .linkedLibrary("m")]),
        .target(name: "COpenSSL", linkerSettings: [library("ssl"), library("crypto")]),
        .target(name: "CSodium", linkerSettings: [library("sodium")]),
        .target(name: "CZlib", linkerSettings: [library("z")]),
        .target(name: "CNcurses", linkerSettings: [library("ncursesw"), library("tinfo")]),

        // The common four.
        module("ChatModel", []),
        module("ByteCodec", []),
        module("Execution", ["CLinux"]),
        module("Diagnostics", ["Execution", "CLinux"]),

        // The house.
        module("Configuration", common),
        module("Localization", common + ["CAssets"]),
        .target(name: "CAssets", cSettings: [.headerSearchPath("../../assets")]),
        module("Transport", ["ByteCodec", "Execution", "Diagnostics", "CLinux", "COpenSSL"]),
        module("HTTPClient", ["ByteCodec", "Execution", "Diagnostics", "Transport", "CLinux", "COpenSSL"]),
        module("SQLite", ["CSQLite", "CLinux"]),
        module("Store", common + ["SQLite", "COpenSSL", "CLinux"]),
        module("FileStore", common + ["CZlib", "COpenSSL", "CLinux"]),
        module("Transfers", common + ["Store", "FileStore", "COpenSSL", "CLinux"]),
        module("Profiles", common + ["Store", "HTTPClient", "Localization", "CLinux"]),
        module("Accounts", common + ["Store", "COpenSSL", "CSodium", "CLinux"]),
        module("Doctor", common + ["Store", "CLinux"]),
        module("Broker", common + ["Store"]),
        module("LeanCloudQuery", ["ByteCodec"]),
        module("LeanCloudWire", ["ByteCodec"]),
        module(
            "LeanCloudTranslation",
            common + ["LeanCloudWire", "LeanCloudQuery", "WuKongTranslation", "Store", "Broker", "Localization"]),
        module(
            "LeanCloudGateway",
            common + [
                "LeanCloudWire", "LeanCloudQuery", "LeanCloudTranslation", "Transport", "Store", "Broker", "Accounts",
            ]),
        module("WuKongWire", ["ByteCodec"]),
        module("WuKongCrypto", ["ByteCodec", "COpenSSL"]),
        module("WuKongTranslation", common + ["WuKongWire", "LeanCloudWire", "Store", "Broker"]),
        module(
            "WuKongGateway",
            common + [
                "WuKongWire", "WuKongCrypto", "WuKongTranslation", "Transport", "Store", "Broker", "Accounts",
            ]),
        module(
            "Tips", common + ["Store", "Broker", "Profiles", "Localization", "WuKongTranslation"]),
        module("APIKit", common + ["Transport", "Store", "Broker", "Accounts"]),
        module(
            "APIGateway",
            common + [
                "APIKit", "Transport", "Store", "FileStore", "Transfers", "Profiles", "Broker", "Accounts", "Tips",
                "CLinux",
            ]),
        module(
            "WuKongAPI",
            common + [
                "APIKit", "WuKongWire", "WuKongTranslation", "Transport", "Store", "FileStore", "Transfers", "Profiles",
                "Broker", "Accounts",
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
            "LeanCloudPull",
            common + ["HTTPClient", "Transport", "LeanCloudTranslation", "CZlib", "COpenSSL", "CLinux"]),
        module("CommandLineKit", ["CLinux", "Diagnostics"]),
        module("AdminAPI", common + ["CLinux"]),
        module("AdminConsole", common + ["AdminAPI", "Localization", "CommandLineKit", "CNcurses", "CLinux"]),
        module(
            "AdminService",
            common + [
                "APIKit", "AdminAPI", "Accounts", "Broker", "Store", "FileStore", "Transfers", "Profiles", "Transport",
                "WuKongTranslation", "Localization", "Tips", "CLinux",
            ]),
        module(
            "Server",
            common + [
                "Configuration", "Transport", "Store", "Accounts", "Broker", "WuKongGateway", "APIKit", "APIGateway",
                "WuKongAPI", "LeanCloudAPI", "AdminAPI", "AdminService", "FileStore", "Transfers", "Profiles",
                "HTTPClient",
                "Hooks", "WuKongTranslation", "LeanCloudTranslation", "LeanCloudGateway", "CLinux",
            ]),

        // What is installed.
        .executableTarget(
            name: "teahouse",
            dependencies: common + [
                "Server", "Configuration", "Localization", "Store", "FileStore", "Doctor", "Transport", "AdminAPI",
                "AdminConsole", "CommandLineKit", "Profiles", "LeanCloudTranslation", "LeanCloudPull", "HTTPClient",
                "CLinux", "COpenSSL", "CSodium",
            ],
            swiftSettings: strict),

        // Tools of the package, never installed.
        .target(name: "CBench"),
        module("BenchKit", ["WuKongWire", "WuKongCrypto", "LeanCloudWire", "CBench", "CLinux"]),
        .executableTarget(name: "teahouse-bench", dependencies: ["BenchKit"], swiftSettings: strict),
        .executableTarget(
            name: "store-bench", dependencies: common + ["Store", "CLinux"], swiftSettings: strict),
        .executableTarget(
            name: "file-bench", dependencies: ["ChatModel", "FileStore", "CLinux"], swiftSettings: strict),
        .executableTarget(
            name: "profile-bench", dependencies: common + ["Profiles", "Store"], swiftSettings: strict),
        .executableTarget(
            name: "transport-echo", dependencies: ["Transport", "Diagnostics", "Execution"], swiftSettings: strict),
        .executableTarget(
            name: "leancloud-echo", dependencies: ["ByteCodec", "LeanCloudWire"], swiftSettings: strict),
        .executableTarget(
            name: "powercut-replay", dependencies: ["ChatModel", "FileStore", "Store"], swiftSettings: strict),
        .executableTarget(
            name: "teahouse-mutant", dependencies: ["Server", "Configuration", "FileStore", "Store"],
            swiftSettings: strict),
        module(
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
                "AdminService", "AdminAPI", "Accounts", "Broker", "FileStore", "Profiles", "Store", "Transfers",
                "WuKongTranslation", "CLinux",
            ]),
        tests(
            "APIGateway",
            common + ["APIGateway", "APIKit", "Transport", "Store", "FileStore", "Transfers", "Accounts", "CZlib"]),
        tests("APIKit", common + ["APIKit", "Store", "Broker"]),
        tests("Architecture", []),
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
                "Broker",
                "FileStore",
                "Profiles", "Store", "Transfers", "WuKongTranslation",
            ]),
        tests("Configuration", ["Configuration"]),
        tests("Doctor", common + ["Doctor", "Store", "CLinux"]),
        tests("FileStore", ["ChatModel", "FileStore", "Execution", "TeahouseTesting", "CLinux"]),
        tests(
            "HTTPClient",
            ["HTTPClient", "TeahouseTesting", "Transport", "Execution", "Diagnostics", "COpenSSL", "CLinux"]),
        tests("Hooks", common + ["Hooks", "HTTPClient", "Broker", "Store", "TeahouseTesting", "WuKongWire", "CLinux"]),
        tests(
            "LeanCloudAPI",
            common + [
                "APIKit", "LeanCloudAPI", "LeanCloudTranslation", "LeanCloudWire", "Server", "Store", "Broker",
                "Accounts", "TeahouseTesting", "Hooks", "HTTPClient",
            ]),
        tests("LeanCloudPull", common + ["LeanCloudPull", "HTTPClient", "CZlib"]),
        tests("LeanCloudQuery", ["ByteCodec", "LeanCloudQuery"]),
        tests("LeanCloudWire", ["ByteCodec", "LeanCloudWire"]),
        tests(
            "LeanCloudTranslation",
            common + [
                "LeanCloudTranslation", "LeanCloudWire", "LeanCloudQuery", "WuKongTranslation", "Store", "Broker",
            ]),
        tests(
            "LeanCloudGateway",
            common + [
                "TeahouseTesting", "Server", "LeanCloudGateway", "LeanCloudTranslation", "LeanCloudWire", "Transport",
                "Store", "Broker", "Accounts", "Hooks", "HTTPClient",
            ]),
        tests("Localization", ["Localization", "ByteCodec"]),
        tests("Profiles", common + ["Profiles", "Localization", "Store", "HTTPClient", "TeahouseTesting"]),
        tests(
            "Scenario",
            common + [
                "TeahouseTesting", "Server", "Store", "Accounts", "Broker", "Transport", "WuKongAPI", "WuKongWire",
                "WuKongCrypto", "HTTPClient", "Hooks", "Configuration", "AdminAPI", "Profiles", "CommandLineKit",
                "Localization", "Transfers", "LeanCloudWire", "LeanCloudTranslation", "COpenSSL", "teahouse",
            ]),
        tests("Store", common + ["Store", "CLinux"]),
        tests("Transfers", common + ["Transfers", "Store", "FileStore", "TeahouseTesting", "CLinux"]),
        tests("Transport", ["Transport", "Execution", "Diagnostics", "COpenSSL", "CLinux"]),
        tests(
            "WuKongAPI",
            common + [
                "APIKit", "WuKongAPI", "WuKongWire", "WuKongTranslation", "Transport", "Store", "Broker", "Accounts",
            ]),
        tests("WuKongGateway", common + ["WuKongGateway", "WuKongWire", "Broker"]),
        tests("WuKongTranslation", common + ["WuKongTranslation", "WuKongWire", "Broker"]),
        tests("WuKongCrypto", ["ByteCodec", "WuKongCrypto"]),
        tests("WuKongWire", ["ByteCodec", "WuKongCrypto", "WuKongWire"]),
    ],
    swiftLanguageModes: [.v6]
)
