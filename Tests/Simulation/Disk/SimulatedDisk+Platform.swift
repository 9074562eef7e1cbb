import Glibc
import SpateExtendedAttributes
import SpateFilePaths
package import SpateFileSystemCalls
import SpateTiming

extension SimulatedDisk {
    /// All file system calls of a process. It finds only those processes of a machine that have a platform here.
    package func platform(for process: SimulatedProcess, boot: BootID?) -> Platform {
        processes[process.number] = process
        let runtime = process.runtime
        let caller = DiskCaller(disk: self, process: process, clock: runtime.wallClock)
        var platform = Platform.native
        platform.runtime = runtime
        platform.boot = boot
        platform.process = process.running
        platform.startOfProcess = { [self] in processes[$0].flatMap { $0.isAlive ? $0.start : nil } }
        platform.user = { 1_000 }
        platform.openFolder = { path in caller.call("open") { try self.openFolder(path.text, caller) } }
        platform.makeFolder = { path in caller.call("mkdir") { try self.makeFolder(path.text, caller) } }
        platform.pathOfFolder = { _ in nil }
        platform.statusAtPath = { path, followsLinks, status in
            caller.call("stat") { try self.find(path.text, followsLinks: followsLinks).fill(status) }
        }
        platform.list = { folder, body in caller.call("readdir") { try self.list(folder, caller, body) } }
        platform.watch = { folder in caller.call("inotify") { try self.watch(folder, caller) } }
        platform.readChanges = { watch, buffer in
            caller.call("read changes") { try self.readChanges(watch, buffer, caller) }
        }
        platform.ownerOfNewFile = { _ in 1_000 }
        platform.open = { folder, name, flags, mode in
            caller.call("open") { try self.open(folder, name.text, flags, mode, caller) }
        }
        platform.openUnnamed = { folder in caller.call("open unnamed") { try self.openUnnamed(folder, caller) } }
        platform.statusOfName = { folder, name, followsLinks, status in
            caller.call("stat") {
                try self.find(name.text, in: self.folder(folder, caller), followsLinks: followsLinks).fill(status)
            }
        }
        platform.unlink = { folder, name in caller.call("unlink") { try self.unlink(folder, name.text, caller) } }
        platform.rename = { folder, from, to in
            caller.call("rename") { try self.rename(folder, from.text, to.text, replaces: true, caller) }
        }
        platform.renameWithoutReplacing = { folder, from, to in
            caller.call("rename") { try self.rename(folder, from.text, to.text, replaces: false, caller) }
        }
        platform.link = { folder, from, to in caller.call("link") { try self.link(folder, from.text, to.text, caller) }
        }
        platform.linkUnnamed = { file, folder, name in
            caller.call("link unnamed") { try self.linkUnnamed(file, folder, name.text, caller) }
        }
        platform.close = { descriptor in _ = caller.call("close") { try self.close(descriptor, caller) } }
        platform.status = { descriptor, status in
            caller.call("fstat") { try self.description(descriptor, caller).node.fill(status) }
        }
        platform.birthTime = { descriptor, time in
            caller.call("statx") { try self.birthTime(descriptor, time, caller) }
        }
        platform.volume = { descriptor, volume in caller.call("statfs") { try self.volume(descriptor, volume, caller) }
        }
        platform.lock = { descriptor, mode in caller.call("flock") { try self.lock(descriptor, mode, caller) } }
        platform.attributes = { SimulatedAttributes(disk: self, descriptor: $0, caller: caller) }
        platform.read = { descriptor, buffer, count, offset in
            let buffer = UnsafeMutableRawBufferPointer(start: buffer, count: buffer == nil ? 0 : count)
            return caller.call("read") { try self.read(descriptor, buffer, offset, caller) }
        }
        platform.advise = { _, _, _, _ in }
        platform.write = { descriptor, bytes, count, offset in
            let bytes = UnsafeRawBufferPointer(start: bytes, count: count)
            return caller.call("write") { try self.write(descriptor, bytes, offset, caller) }
        }
        // As between file systems: it is read and written.
        platform.copy = { _, _, _, _ in caller.call("copy") { throw ErrorNumber(code: EXDEV) } }
        platform.resize = { descriptor, size in caller.call("truncate") { try self.resize(descriptor, size, caller) } }
        platform.reserve = { descriptor, offset, length in
            caller.call("fallocate") { try self.reserve(descriptor, offset, length, caller) }
        }
        platform.setModified = { descriptor, seconds in
            caller.call("utimens") { try self.setModified(descriptor, seconds, caller) }
        }
        platform.setPermissions = { descriptor, permissions in
            caller.call("chmod") {
                try self.description(descriptor, caller).node.permissions = permissions
                return 0
            }
        }
        // Every file of a world has the same owner.
        platform.setOwner = { _, _, _ in caller.call("chown") { throw ErrorNumber(code: EPERM) } }
        platform.sync = { descriptor in caller.call("sync") { try self.sync(descriptor, caller) } }
        platform.largestFile = { [self] in traits.largestFile }
        platform.mostDescriptors = { [self] in traits.mostDescriptors }
        return platform
    }
}
