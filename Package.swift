// swift-tools-version: 6.2
import PackageDescription

/// The settings of every Swift target: language mode 6, the upcoming features that the style page
/// names, and no warning left standing.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .treatAllWarnings(as: .error),
]

/// A Swift target below `Sources/`.
func room(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// A test target below `Tests/`.
func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(
        name: name + "Tests",
        dependencies: [.target(name: name), .target(name: "HatoTesting")] + dependencies,
        swiftSettings: strict
    )
}

let package = Package(
    name: "hato",
    products: [
        .executable(name: "hato", targets: ["HatoCLI"]),
        .executable(name: "echo-server", targets: ["EchoServer"]),
    ],
    targets: [
        // C modules
        .target(name: "CLinux", path: "Sources/CLinux"),
        .systemLibrary(name: "CSQLite", path: "Sources/CSQLite", pkgConfig: "sqlite3"),
        .systemLibrary(name: "COpenSSL", path: "Sources/COpenSSL", pkgConfig: "openssl"),
        .systemLibrary(name: "CArgon2", path: "Sources/CArgon2", pkgConfig: "libargon2"),
        .systemLibrary(name: "CPCRE2", path: "Sources/CPCRE2", pkgConfig: "libpcre2-8"),
        .systemLibrary(name: "CZlib", path: "Sources/CZlib", pkgConfig: "zlib"),

        // Floor 0
        room("HatoWire"),
        .target(
            name: "Migrations",
            path: "Migrations",
            resources: [
                .embedInCode("Applications/0001_applications.sqlite.sql"),
                .embedInCode("Applications/0002_makes_indexes.sqlite.sql"),
                .embedInCode("Applications/0003_relay_settings.sqlite.sql"),
                .embedInCode("Applications/0004_demo.sqlite.sql"),
                .embedInCode("Objects/0001_objects.sqlite.sql"),
                .embedInCode("Objects/0002_indexes.sqlite.sql"),
                .embedInCode("Objects/0003_index_lives.sqlite.sql"),
            ],
            swiftSettings: strict
        ),
        // Floor 1
        room("Telemetry", ["CLinux", "HatoWire"]),
        room("Compression", ["CZlib"]),
        // Floor 2
        room("ObjectModel", ["HatoWire", "CPCRE2", "Telemetry"]),
        room("Cryptography", ["HatoWire", "COpenSSL", "CArgon2"]),
        // Floor 3
        room("EventLoops", ["CLinux", "Telemetry"]),
        // Floor 4
        room("HTTPServer", ["HatoWire", "EventLoops", "Telemetry", "Compression"]),
        room("TransportSecurity", ["EventLoops", "Telemetry", "COpenSSL"]),
        room("Backend", ["ObjectModel", "HatoWire", "Cryptography", "EventLoops"]),
        room("Realtime", ["ObjectModel", "HatoWire", "EventLoops", "Compression"]),
        room("SQLStorage", ["ObjectModel", "HatoWire", "Migrations"]),
        // Floor 5
        room(
            "SQLiteStorage",
            [
                "SQLStorage", "ObjectModel", "HatoWire", "EventLoops", "Migrations", "CSQLite",
                "CLinux", "Telemetry",
            ]
        ),
        // Floor 6
        room(
            "NCMBAdapter",
            ["Backend", "HTTPServer", "ObjectModel", "HatoWire", "Cryptography", "EventLoops"]
        ),
        room(
            "PieSocketAdapter",
            [
                "Backend", "Realtime", "HTTPServer", "ObjectModel", "HatoWire", "EventLoops",
                "Cryptography",
            ]
        ),
        .target(
            name: "ChatPage",
            dependencies: ["HTTPServer", "ObjectModel", "HatoWire"],
            resources: [
                .embedInCode("Page/index.html"), .embedInCode("Page/page.css"),
                .embedInCode("Page/page.js"),
            ],
            swiftSettings: strict
        ),
        // Floor 7
        room(
            "HatoServer",
            [
                "NCMBAdapter", "PieSocketAdapter", "ChatPage", "SQLiteStorage", "Backend",
                "Realtime",
                "HTTPServer", "TransportSecurity", "EventLoops", "ObjectModel", "HatoWire",
                "Cryptography", "Telemetry", "CLinux",
            ]
        ),
        // Floor 8
        .executableTarget(
            name: "HatoCLI",
            dependencies: ["HatoServer", "Telemetry", "CLinux"],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "EchoServer",
            dependencies: [
                "HTTPServer", "TransportSecurity", "EventLoops", "HatoWire", "Telemetry", "CLinux",
            ],
            swiftSettings: strict
        ),
        // Counted by Scripts/instructions; no product.
        .executableTarget(
            name: "MicroBenchmarks",
            dependencies: ["ObjectModel", "HatoWire"],
            path: "Benchmarks/Micro",
            swiftSettings: strict
        ),

        // Tests
        .target(
            name: "HatoTesting",
            dependencies: ["CLinux", "COpenSSL"],
            path: "Tests/HatoTesting",
            swiftSettings: strict
        ),
        // What must hold of each decoder: the suites replay Tests/Corpora through it, the fuzzer looks on.
        .target(
            name: "FuzzTargets",
            dependencies: [
                "NCMBAdapter", "PieSocketAdapter", "SQLStorage", "Realtime", "ObjectModel",
                "HatoWire", "Compression", "Cryptography", "CSQLite",
            ],
            path: "Tests/FuzzTargets",
            swiftSettings: strict
        ),
        .testTarget(
            name: "CorpusTests",
            dependencies: ["FuzzTargets"],
            swiftSettings: strict
        ),
        tests("HatoWire", ["FuzzTargets"]),
        tests("Compression", []),
        tests("ObjectModel", ["HatoWire"]),
        tests("Cryptography", ["HatoWire"]),
        tests("EventLoops", ["CLinux", "Telemetry"]),
        tests("HTTPServer", ["HatoWire", "EventLoops", "Compression", "Telemetry"]),
        tests(
            "TransportSecurity",
            ["EventLoops", "HTTPServer", "HatoWire", "Telemetry", "COpenSSL"]
        ),
        tests(
            "SQLiteStorage",
            ["SQLStorage", "ObjectModel", "HatoWire", "Migrations", "Telemetry", "CSQLite"]
        ),
        tests(
            "Backend",
            ["ObjectModel", "HatoWire", "Cryptography", "EventLoops", "SQLiteStorage"]
        ),
        tests("Realtime", ["ObjectModel", "HatoWire", "EventLoops", "Compression"]),
        tests(
            "NCMBAdapter",
            [
                "Backend", "ObjectModel", "HatoWire", "HTTPServer", "Cryptography", "EventLoops",
                "SQLiteStorage", "CSQLite",
            ]
        ),
        tests(
            "PieSocketAdapter",
            [
                "Realtime", "Backend", "ObjectModel", "HatoWire", "HTTPServer", "EventLoops",
                "Compression", "Cryptography",
            ]
        ),
        tests(
            "HatoServer",
            [
                "EventLoops", "HTTPServer", "ObjectModel", "HatoWire", "PieSocketAdapter",
                "SQLiteStorage",
                "Telemetry",
            ]
        ),
        .testTarget(
            name: "DifferentialTests",
            dependencies: [
                "ObjectModel", "HatoWire", "SQLiteStorage", "SQLStorage", "HatoTesting",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "RepositoryTests",
            dependencies: ["HatoTesting"],
            swiftSettings: strict
        ),
    ]
)

// Scripts/fuzz alone builds it, with coverage and sanitizers in every room: without them it does not link.
if Context.environment["HATO_FUZZER"] != nil {
    package.targets.append(
        .executableTarget(
            name: "Fuzzer",
            dependencies: ["FuzzTargets"],
            path: "Tests/Fuzzer",
            swiftSettings: strict
        )
    )
}
