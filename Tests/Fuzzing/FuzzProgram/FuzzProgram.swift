import Glibc
import SpateFuzzTargets

/// Fuzzes the target that the first argument names. The other arguments are libFuzzer's.
///
/// A Swift program has its own `main`, so it calls libFuzzer's driver.
@main enum FuzzProgram {
    /// Set once, before the driver runs.
    nonisolated(unsafe) private static var target: FuzzTarget?

    static func main() {
        guard CommandLine.arguments.count > 1, let target = FuzzTarget.named(CommandLine.arguments[1]) else {
            print("usage: FuzzProgram TARGET [OPTIONS of libFuzzer] [CORPUS]")
            print("targets:", FuzzTarget.all.map(\.name).joined(separator: " "))
            exit(2)
        }
        Self.target = target
        // The driver gets the program's name and all arguments after the target's.
        var count = CommandLine.argc - 1
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv + 1
        arguments?.pointee = CommandLine.unsafeArgv.pointee
        exit(runDriver(&count, &arguments) { bytes, count in FuzzProgram.check(bytes, count) })
    }

    private static func check(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
        do throws(BrokenClaim) {
            try target?.check(Array(UnsafeBufferPointer(start: bytes, count: count)))
            return 0
        } catch {
            var message = "broken: \(error)\n"
            _ = message.withUTF8 { write(STDERR_FILENO, $0.baseAddress, $0.count) }
            abort()
        }
    }
}

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ check: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt
