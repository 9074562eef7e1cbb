import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: TemporaryMount.isPossible, "only root may mount"))
struct TemporaryMountTests {
    @Test func aSmallFileSystemIsFull() throws {
        let mount = try TemporaryMount(.tmpfs(bytes: 65_536))
        let descriptor = open(mount.path("a"), O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        let bytes = [UInt8](repeating: 1, count: 100_000)
        #expect(write(descriptor, bytes, bytes.count) == 65_536)
        #expect(write(descriptor, bytes, bytes.count) == -1)
        #expect(errno == ENOSPC)
    }

    private func device(of path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.systemNumber] as? Int
    }

    @Test(arguments: [TemporaryMount.Kind.ramfs, .tmpfs(bytes: 4_096)])
    func aMountGoesAwayWithItsObjectEvenInUse(kind: TemporaryMount.Kind) throws {
        var mount: TemporaryMount? = try TemporaryMount(kind)
        let path = try #require(mount?.path)
        let descriptor = open(path + "/a", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        // Not the list of mounts: what is read while others come and go may lack one.
        #expect(try device(of: path) != device(of: FileManager.default.temporaryDirectory.path))
        mount = nil
        #expect(access(path, F_OK) != 0)
        #expect(try !String(contentsOfFile: "/proc/self/mounts", encoding: .utf8).contains(path))
    }
}
