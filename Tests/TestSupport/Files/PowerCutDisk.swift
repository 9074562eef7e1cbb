import Foundation

/// An ext4 of a test's own, on a loop device, whose power can be cut. Takes root.
///
/// Only what was synced survives: nothing else is written to the disk for ten minutes. The disk itself loses nothing.
package final class PowerCutDisk: Sendable {
    /// Whether this machine can make one.
    @Sendable package static func isPossible() async -> Bool { await (try? PowerCutDisk()) != nil }

    private let files: TemporaryFolder
    /// Where it is mounted.
    package var path: String { files.path("disk") }

    package init() async throws {
        files = try TemporaryFolder()
        try await run("truncate -s 32M image && mkfs.ext4 -q -F image && mkdir disk")
        try await mount()
    }

    deinit {
        umount2(path, Int32(MNT_DETACH))
    }

    /// Goes on with what was on the disk at one moment. Files that are open stay on the disk as it was.
    package func cutPower() async throws {
        // Two copies are equal if nothing was written meanwhile.
        try await run("until cp image cut && cmp -s image cut; do :; done && umount -l disk && mv cut image")
        try await mount()
    }

    private func mount() async throws {
        try await run("mount -t ext4 -o loop,commit=600 image disk")
    }

    private func run(_ commands: String) async throws {
        let path = "PATH=$PATH:/usr/sbin:/sbin; set -e; "
        let shell = try ChildProcess("/bin/sh", ["-c", path + commands], folder: files.path)
        guard try await shell.waitForExit() == .status(0) else {
            throw SystemError("\(commands): \(shell.errors)", number: EIO)
        }
    }
}
