import FuzzTargets
import Glibc

/// The libFuzzer driver of one target: `FUZZ_TARGET=NAME fuzzer [libFuzzer's options] FOLDER…`.
///
/// The name comes by the environment because libFuzzer starts itself anew to merge corpora.
@main
enum Fuzzer {
    @_silgen_name("LLVMFuzzerRunDriver")
    private static func runDriver(
        _ count: UnsafeMutablePointer<Int32>,
        _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
        _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
    ) -> Int32

    private static let target: FuzzTarget = {
        let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
        guard let target = FuzzTarget.named(name) else {
            let names = FuzzTarget.all.map(\.name).joined(separator: " ")
            print("FUZZ_TARGET must be one of: \(names)")
            exit(2)
        }
        return target
    }()

    static func main() {
        var count = CommandLine.argc
        var arguments = CommandLine.unsafeArgv
        exit(
            runDriver(&count, &arguments) { bytes, count in
                Fuzzer.test(UnsafeBufferPointer(start: bytes, count: count))
                return 0
            }
        )
    }

    private static func test(_ bytes: UnsafeBufferPointer<UInt8>) {
        do {
            try target.check(Array(bytes))
        } catch {
            fatalError("\(target.name): \(error)")
        }
    }
}
