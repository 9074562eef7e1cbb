import Foundation

/// What the figures were measured on.
struct Machine: Codable, Sendable, Equatable {
    let processor: String
    let cores: Int
    let memoryBytes: UInt64
    let kernel: String
    let system: String
    let diskFileSystem: String

    init(
        processor: String,
        cores: Int,
        memoryBytes: UInt64,
        kernel: String,
        system: String,
        diskFileSystem: String
    ) {
        (self.processor, self.cores, self.memoryBytes) = (processor, cores, memoryBytes)
        (self.kernel, self.system, self.diskFileSystem) = (kernel, system, diskFileSystem)
    }

    init(places: Places) {
        let information = ProcessInfo.processInfo
        processor = Self.value(of: "model name", in: "/proc/cpuinfo", separator: ":") ?? "unknown"
        cores = information.activeProcessorCount
        memoryBytes = information.physicalMemory
        var names = utsname()
        uname(&names)
        kernel = withUnsafeBytes(of: &names.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        system = Self.value(of: "PRETTY_NAME", in: "/etc/os-release", separator: "=") ?? "Linux"
        diskFileSystem = Places.fileSystem(of: places.disk)
    }

    /// In a line: `2 cores (Intel Xeon), 24 GiB, Linux 6.1, Debian 12, disk ext4`.
    var description: String {
        let memory = "\((memoryBytes + 1 << 29) >> 30) GiB"
        return "\(cores) cores (\(processor)), \(memory), Linux \(kernel), \(system), disk \(diskFileSystem)"
    }

    private static func value(of name: String, in path: String, separator: Character) -> String? {
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        let value = line?.split(separator: separator, maxSplits: 1).dropFirst().first
        return value?.trimmingCharacters(in: CharacterSet(charactersIn: " \t\""))
    }
}
