import CLinux
import Glibc

/// The folder that holds everything, owned by one process at a time.
///
/// ```
/// data/lock                 the kernel lock; a kill releases it
/// data/hato.db              applications
/// data/apps/<id>/objects.db one application's objects
/// ```
package final class DataFolder: Sendable {
    package let path: String
    private let lock: Int32

    /// Whether applications live in the folder already.
    package static func exists(at path: String) -> Bool {
        FileSystem.hasContent(withoutTrailingSlashes(path) + "/hato.db")
    }

    /// Creates the folder if need be (its parent must be there), and takes its lock.
    ///
    /// Errors: the folder can't be used, or another process holds it; the text names the mend.
    package init(path: String) throws(FileFailure) {
        let path = DataFolder.withoutTrailingSlashes(path)
        try FileSystem.createFolder(path)
        let lockPath = path + "/lock"
        try FileSystem.createFile(lockPath)
        let descriptor = open(lockPath, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure(lockPath, errno) }
        guard hato_lock_exclusive(descriptor) == 0 else {
            let code = errno
            close(descriptor)
            guard code == EWOULDBLOCK else { throw FileFailure(lockPath, code) }
            throw FileFailure(
                path,
                reason: "another hato process uses this data folder; "
                    + "stop it, or choose another folder with --data"
            )
        }
        self.path = path
        self.lock = descriptor
        do throws(FileFailure) {
            try FileSystem.createFolder(path + "/apps")
        } catch {
            close(descriptor)
            throw error
        }
    }

    deinit {
        close(lock)
    }

    /// Lets another process have the folder; nothing here may touch its files afterwards.
    func release() {
        _ = hato_unlock(lock)
    }

    var applicationsFile: String { path + "/hato.db" }

    /// The folder of one application; `id` is made by us, never a client's text.
    func folder(ofApplication id: String) -> String { path + "/apps/" + id }

    private static func withoutTrailingSlashes(_ path: String) -> String {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path.isEmpty ? "." : path
    }
}
