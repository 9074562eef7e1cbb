import Dispatch
import Foundation

/// `Trials NAME [URL [NUMBER]]`: puts the library through what would crash the process, or stop it, if something were
/// wrong. The number is a seed, or says how much is left of what is scarce.
///
/// Exit: 0 if it went well; 1 with the reason on standard error if not; 2 for wrong usage.
@main enum Trials {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        let url = arguments.dropFirst().first.flatMap { URL(string: $0) }
        let number = arguments.dropFirst(2).first.flatMap { Int($0) } ?? 0
        switch (arguments.first, url) {
        case ("cancelled-dependents", _): run { try await DependencyTrial.cancelledDependents() }
        case ("dropped-dependents", _): DependencyTrial.droppedDependents()
        case ("late-dependencies", _): run { try await DependencyTrial.lateDependencies() }
        case ("pause-and-resume", let url?): run { await SuccessionTrial.pauseAndResume(url, seed: UInt64(number)) }
        case ("descriptors", let url?): ScarcityTrial.descriptors(url, left: number, isLate: false)
        case ("late-descriptors", let url?): ScarcityTrial.descriptors(url, left: number, isLate: true)
        case ("files", let url?): ScarcityTrial.files(url)
        case ("threads", let url?): ScarcityTrial.threads(url)
        default: exit(2)
        }
    }

    /// Runs a trial on Swift's pool, which the others don't start.
    private static func run(_ trial: @escaping @Sendable () async throws -> Void) {
        Task {
            do { try await trial() } catch { fail("\(error)") }
            exit(0)
        }
        dispatchMain()
    }

    /// The folder where the program was started.
    static var folder: URL { URL(filePath: FileManager.default.currentDirectoryPath, directoryHint: .isDirectory) }

    static func fail(_ reason: String) -> Never {
        FileHandle.standardError.write(Data("\(reason)\n".utf8))
        exit(1)
    }
}
