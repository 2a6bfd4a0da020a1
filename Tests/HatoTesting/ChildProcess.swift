import CLinux
import Foundation
import Glibc
import Synchronization

/// A program of this package, run from the folder of the build's products.
///
/// Its standard output is read line by line; standard error goes to the test's own. The process is
/// killed when the last reference goes.
package final class ChildProcess: Sendable {
    package enum Ending: Sendable, Equatable {
        case exited(CInt)
        case killed(signal: CInt)
    }

    private enum State {
        case running
        case ended(Ending)
    }

    package let pid: CInt
    private let output: CInt
    private let ended: CInt
    private let unread = Mutex<[UInt8]>([])
    private let state: Shared

    /// What the waiting thread keeps: the child is reaped under the lock, so that no signal is
    /// ever sent to a process that took over the pid.
    private final class Shared: Sendable {
        let state = Mutex<State>(.running)
    }

    /// The folder that holds the test bundle, and with it `hato` and `echo-server`.
    package static func productsFolder() throws -> String {
        let path = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        var folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        while !FileManager.default.fileExists(
            atPath: folder.appendingPathComponent("HatoTesting.build").path
        ) {
            guard folder.path.count > 1 else {
                throw TestFailure.ended("the folder of the products")
            }
            folder.deleteLastPathComponent()
        }
        return folder.path
    }

    /// Starts `program` (a product's name, or an absolute path).
    package init(
        _ program: String,
        _ arguments: [String] = [],
        environment: [String: String] = [:]
    ) throws {
        let path = program.hasPrefix("/") ? program : try Self.productsFolder() + "/" + program
        var pipe: [CInt] = [-1, -1]
        guard Glibc.pipe(&pipe) == 0 else {
            throw TestFailure.system(call: "pipe", errno: errno)
        }
        for end in pipe { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(pipe[1]) }
        self.output = pipe[0]
        self.ended = eventfd(0, CInt(EFD_CLOEXEC))
        self.state = Shared()
        do {
            self.pid = try Self.spawn(path, arguments, environment, output: pipe[1])
        } catch {
            close(pipe[0])
            close(ended)
            throw error
        }
        let (pid, ended, state) = (pid, ended, state)
        Thread.detachNewThread {
            var information = siginfo_t()
            while waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
            state.state.withLock { state in
                var status: CInt = 0
                waitpid(pid, &status, 0)
                let signal = status & 0x7F
                state = .ended(signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal: signal))
                eventfd_write(ended, 1)
            }
        }
    }

    deinit {
        send(SIGKILL)
        // The waiting thread still writes to it: the descriptor is closed after the last write.
        _ = try? wait()
        close(ended)
        close(output)
    }

    private static func spawn(
        _ path: String,
        _ arguments: [String],
        _ environment: [String: String],
        output: CInt
    ) throws -> CInt {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        // Signals as a shell gives them: the test's threads block some and ignore others, and a
        // child would inherit that.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(
            &attributes,
            CShort(POSIX_SPAWN_SETSIGMASK) | CShort(POSIX_SPAWN_SETSIGDEF)
        )
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        var pointers = ([path] + arguments).map { strdup($0) } + [nil]
        var environmentPointers = variables.map { strdup("\($0)=\($1)") } + [nil]
        defer { for pointer in pointers + environmentPointers { free(pointer) } }
        var pid: pid_t = 0
        let result = posix_spawn(&pid, path, &actions, &attributes, &pointers, &environmentPointers)
        guard result == 0 else {
            throw TestFailure.system(call: "posix_spawn \(path)", errno: result)
        }
        return pid
    }

    /// Sends a signal, unless the process has ended.
    package func send(_ signal: CInt) {
        state.state.withLock { state in
            if case .running = state { kill(pid, signal) }
        }
    }

    /// Waits for the end.
    @discardableResult
    package func wait(within limit: Duration = Deadline.usual) throws -> Ending {
        guard try Deadline(limit).awaits(CShort(POLLIN), on: ended) else {
            throw TestFailure.deadline("process \(pid) to end")
        }
        return try state.state.withLock { state in
            guard case .ended(let ending) = state else {
                throw TestFailure.deadline("process \(pid)")
            }
            return ending
        }
    }

    /// Returns the next line of standard output without its end; nil when the output is closed.
    package func line(within limit: Duration = Deadline.usual) throws -> String? {
        let deadline = Deadline(limit)
        return try unread.withLock { bytes in
            while true {
                if let end = bytes.firstIndex(of: 10) {
                    defer { bytes.removeSubrange(...end) }
                    return String(decoding: bytes[..<end], as: UTF8.self)
                }
                guard try receive(into: &bytes, deadline) else {
                    defer { bytes = [] }
                    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
                }
            }
        }
    }

    /// Returns the first line that contains `text`, passing over others.
    package func line(
        containing text: String,
        within limit: Duration = Deadline.usual
    ) throws -> String {
        while let line = try line(within: limit) {
            if line.contains(text) { return line }
        }
        throw TestFailure.ended("a line with \(text)")
    }

    /// Returns the rest of standard output, up to its end.
    package func rest(within limit: Duration = Deadline.usual) throws -> String {
        let deadline = Deadline(limit)
        return try unread.withLock { bytes in
            while try receive(into: &bytes, deadline) {}
            defer { bytes = [] }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    private func receive(into bytes: inout [UInt8], _ deadline: Deadline) throws -> Bool {
        guard try deadline.awaits(CShort(POLLIN), on: output) else {
            throw TestFailure.deadline("a line of process \(pid)")
        }
        return withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { space in
            let count = read(output, space.baseAddress, space.count)
            if count > 0 { bytes.append(contentsOf: space[..<count]) }
            return count > 0
        }
    }
}
