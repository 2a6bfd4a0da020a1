import CLinux
import Glibc

/// What a call of the file system refused, with what it was about.
package struct FileFailure: Error, Sendable, CustomStringConvertible {
    package let path: String
    /// `errno`, or 0 when the reason is in `reason` alone.
    package let code: Int32
    package let reason: String

    init(_ path: String, _ code: Int32) {
        self.path = path
        self.code = code
        self.reason = String(cString: strerror(code))
    }

    init(_ path: String, reason: String) {
        self.path = path
        self.code = 0
        self.reason = reason
    }

    package var description: String { "\(path): \(reason)" }
}

/// Folders and files that last: each new one is synced together with its parent.
enum FileSystem {
    /// Creates a folder that only we may enter, if it is not there.
    ///
    /// Syncs one that is there too: a kill may have come between its making and its sync.
    static func createFolder(_ path: String) throws(FileFailure) {
        let code = mkdir(path, 0o700) == 0 ? 0 : errno
        guard code == 0 || code == EEXIST && isFolder(path) else { throw FileFailure(path, code) }
        try syncFolder(path)
        do throws(FileFailure) {
            try syncFolder(parent(of: path))
        } catch {
            // A parent that we may pass but not read: somebody else has made the folder.
            guard code == EEXIST, error.code == EACCES else { throw error }
        }
    }

    /// Creates an empty file that only we may read, if it is not there.
    static func createFile(_ path: String) throws(FileFailure) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileFailure(path, errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw FileFailure(path, errno) }
        try syncFolder(parent(of: path))
    }

    static func syncFolder(_ path: String) throws(FileFailure) {
        let descriptor = hato_open_directory(path)
        guard descriptor >= 0 else { throw FileFailure(path, errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw FileFailure(path, errno) }
    }

    /// Returns the file's device and inode: they differ when a backup was copied into its place.
    static func identity(_ path: String) throws(FileFailure) -> String {
        var status = stat()
        guard stat(path, &status) == 0 else { throw FileFailure(path, errno) }
        return "\(status.st_dev):\(status.st_ino)"
    }

    /// Whether a file with at least one byte is there.
    static func hasContent(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_size > 0
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
