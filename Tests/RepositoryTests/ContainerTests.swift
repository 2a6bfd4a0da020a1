import Foundation
import Testing

@Suite("Container files")
struct ContainerTests {
    private let repository = Repository()

    @Test("the image is shipped without the toolchain, as a user who is not root")
    func imageIsSmallAndUnprivileged() throws {
        let shipped = Dockerfile(try repository.file("Dockerfile")).shipped
        #expect(shipped.first?.argument == "debian:bookworm-slim")
        let user = try #require(shipped.lastIndex { $0.name == "USER" })
        #expect(!["root", "0"].contains(shipped[user].argument))
        #expect(!shipped[user...].contains { $0.name == "RUN" || $0.name == "COPY" })
        #expect(shipped.contains { $0.name == "EXPOSE" && $0.argument == "8080" })
    }

    @Test("the data folder is a volume that the image's user owns")
    func dataOutlivesTheContainer() throws {
        let shipped = Dockerfile(try repository.file("Dockerfile")).shipped
        #expect(shipped.contains { $0.name == "VOLUME" && $0.argument == "/data" })
        #expect(shipped.contains { $0.name == "ENV" && $0.argument.contains("HATO_DATA=/data") })
        #expect(shipped.contains { $0.name == "RUN" && $0.argument.contains("-o hato -g hato") })

        let compose = Compose(try repository.file("docker-compose.yml")).values
        #expect(compose["volumes.hato-data"] != nil)
        #expect(compose["services.hato.volumes"] == ["hato-data:/data"])
    }

    @Test("image and service ask the binary itself for its health")
    func healthIsAsked() throws {
        let shipped = Dockerfile(try repository.file("Dockerfile")).shipped
        let check = try #require(shipped.last { $0.name == "HEALTHCHECK" })
        let compose = Compose(try repository.file("docker-compose.yml")).values
        let test = try #require(compose["services.hato.healthcheck.test"]?.first)
        #expect(test == #"["CMD", "hato", "health"]"#)
        #expect(check.argument.hasSuffix(#"CMD ["hato", "health"]"#))
        #expect(compose["services.hato.healthcheck.retries"] == ["3"])
    }

    @Test("the service comes back after a crash and can write nowhere but in its volume")
    func serviceIsConfined() throws {
        let compose = Compose(try repository.file("docker-compose.yml")).values
        #expect(compose["services.hato.restart"] == ["unless-stopped"])
        #expect(compose["services.hato.read_only"] == ["true"])
        #expect(compose["services.hato.cap_drop"] == ["ALL"])
        #expect(compose["services.hato.security_opt"] == ["no-new-privileges:true"])
        #expect(compose["services.hato.ports"] == ["127.0.0.1:8080:8080"])
    }

    /// Linker name of a C library: its Debian packages for the build and for the image.
    private static let packages = [
        "sqlite3": (build: "libsqlite3-dev", runtime: "libsqlite3-0"),
        "ssl": (build: "libssl-dev", runtime: "libssl3"),
        "crypto": (build: "libssl-dev", runtime: "libssl3"),
        "argon2": (build: "libargon2-dev", runtime: "libargon2-1"),
        "z": (build: "zlib1g-dev", runtime: "zlib1g"),
        "pcre2-8": (build: "libpcre2-dev", runtime: "libpcre2-8-0"),
        "curl": (build: "libcurl4-openssl-dev", runtime: "libcurl4"),
    ]

    @Test("each C library that a module links is installed for the build and in the image")
    func librariesAreInstalled() throws {
        let scripted = try repository.file("Scripts/deps").lines.map(String.init)
        let shipped = Dockerfile(try repository.file("Dockerfile")).shipped
        let image = shipped.filter { $0.name == "RUN" }.map(\.argument).joined(separator: " ")
            .split(separator: " ").map(String.init)
        let maps = try repository.files(below: "Sources").filter { $0.kind == "modulemap" }
        let linked = maps.flatMap { $0.text.matches(of: /link "([^"]+)"/).map { String($0.1) } }
        #expect(linked.contains("sqlite3"))
        for library in linked {
            let package = try #require(Self.packages[library], "no package known for \(library)")
            #expect(scripted.contains(package.build))
            #expect(image.contains(package.runtime))
        }
    }

    @Test("docker-compose accepts the file", .enabled(if: composeTool != nil))
    func composeAccepts() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(Self.composeTool))
        process.arguments = [
            "--file", repository.root.appendingPathComponent("docker-compose.yml").path,
            "config", "--quiet",
        ]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    /// Debian's docker-compose reads a file without an engine; nil where it is not installed.
    private static let composeTool = (ProcessInfo.processInfo.environment["PATH"] ?? "")
        .split(separator: ":")
        .map { "\($0)/docker-compose" }
        .first { FileManager.default.isExecutableFile(atPath: $0) }
}
