import Foundation

/// Measures how many processors are idle.
package struct ProcessorTime: Sendable {
    private var last: (idle: Double, all: Double)?

    package init() {}

    /// The number of idle processors since the previous call; `nil` at the first call, or if the system does not say.
    package mutating func idleCount(on runtime: Runtime) -> Double? {
        guard let now = runtime.processorTime() else { return nil }
        defer { last = now }
        guard let last, now.all > last.all else { return nil }
        return (now.idle - last.idle) / (now.all - last.all) * Double(ProcessInfo.processInfo.activeProcessorCount)
    }

    /// See `Runtime.processorTime`.
    static func read() -> (idle: Double, all: Double)? {
        let descriptor = open("/proc/stat", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let text = withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
            String(decoding: buffer[..<max(0, Glibc.read(descriptor, buffer.baseAddress, buffer.count))], as: UTF8.self)
        }
        // "cpu", then user, nice, system, idle, iowait and so on.
        let words = text.prefix { $0 != "\n" }.split(separator: " ")
        let times = words.dropFirst().compactMap { Double($0) }
        guard words.first == "cpu", times.count >= 5 else { return nil }
        return (times[3] + times[4], times.prefix(8).reduce(0, +))
    }
}
