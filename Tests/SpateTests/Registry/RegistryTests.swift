import Foundation
import HTTPResumption
import Testing

@testable import Spate

@Suite struct RegistryTests {
    private let test: SilentManager

    init() throws {
        test = try SilentManager()
    }

    private func key(_ name: String) throws -> HTTPURL { try HTTPURL("http://host.test/\(name)") }

    private var folder: String { test.manager.configuration.directory.path }

    private func newDownload(_ request: CheckedRequest, serial: UInt64) -> Download {
        Download(
            request: DownloadRequest(URL(string: request.url.text) ?? test.url("a")),
            checked: request,
            serial: serial,
            core: DownloadCore(machine: DownloadMachine(policy: .never), audience: Audience(callbackQueue: .main)),
            manager: test.manager
        )
    }

    private func operation() -> DownloadOperation {
        DownloadOperation(url: test.url("a")) { _ in nil }
    }

    /// Enters a download of this name, which must be a new one.
    private func enter(_ name: String, into registry: inout Registry) throws -> Download {
        let request = try CheckedRequest(DownloadRequest(test.url(name)), in: test.manager.checkedConfiguration)
        var made: Download?
        let (download, isNew) = registry.enter(request) { serial in
            let download = newDownload(request, serial: serial)
            made = download
            return download
        }
        #expect(isNew && download === made)
        return download
    }

    @Test func aKnownDownloadIsFoundAndNoOtherIsMade() throws {
        var registry = Registry()
        let first = try enter("a", into: &registry)
        let request = try CheckedRequest(DownloadRequest(test.url("a")), in: test.manager.checkedConfiguration)
        let (second, isNew) = registry.enter(request) { newDownload(request, serial: $0) }
        #expect(second === first && !isNew)
        #expect(try enter("b", into: &registry).serial == first.serial + 1)
    }

    @Test func anOldDownloadDoesNotEvictItsSuccessorNorItsName() throws {
        var registry = Registry()
        let old = try enter("a", into: &registry)
        registry.remove(old)
        #expect(registry.known(try key("a")) == nil && registry.slots.isEmpty)
        let new = try enter("a", into: &registry)
        registry.remove(old)
        #expect(registry.known(try key("a")) === new)
        #expect(registry.isTaken("a", in: folder, from: try key("b")))
    }

    @Test func aDownloadThatGoesLeavesItsNameToOthers() throws {
        var registry = Registry()
        let download = try enter("a", into: &registry)
        #expect(registry.isTaken("a", in: folder, from: try key("b")))
        registry.remove(download)
        #expect(!registry.isTaken("a", in: folder, from: try key("b")))
    }

    @Test func anAttemptThatOutlivesItsDownloadKeepsNoNameWhenItEnds() throws {
        var registry = Registry()
        let download = try enter("a", into: &registry)
        let operation = operation()
        registry.started(operation, of: try key("a"))
        registry.remove(download)
        #expect(!registry.isTaken("a", in: folder, from: try key("b")))
        // It opens its file when nobody wants it any more.
        #expect(registry.claim("a", in: folder, for: try key("a")) == true)
        _ = registry.ended(operation, of: try key("a"))
        #expect(!registry.isTaken("a", in: folder, from: try key("b")) && registry.slots.isEmpty)
    }

    @Test func downloadsAreListedAsTheyCame() throws {
        var registry = Registry()
        for name in 0..<20 { _ = try enter("\(name)", into: &registry) }
        #expect(registry.all.map(\.url) == (0..<20).map { test.url("\($0)") })
    }

    private func attempt(_ number: Int) throws -> QueuedAttempt {
        let request = try CheckedRequest(DownloadRequest(test.url("a")), in: test.manager.checkedConfiguration)
        return QueuedAttempt(download: newDownload(request, serial: 0), attempt: number, manager: test.manager)
    }

    @Test func anAttemptWaitsForTheOneThatHoldsTheFileAndIsHandedOutAtItsEnd() throws {
        var registry = Registry()
        let first = operation()
        #expect(registry.admits(try attempt(1), of: try key("a")) == true)
        registry.started(first, of: try key("a"))
        #expect(registry.admits(try attempt(2), of: try key("a")) == false)
        #expect(registry.admits(try attempt(2), of: try key("b")) == true)
        #expect(registry.ended(first, of: try key("a"))?.attempt == 2)
        #expect(registry.ended(first, of: try key("a")) == nil)
    }

    @Test func ofThoseThatWaitForAFileTheLastIsHandedOut() throws {
        var registry = Registry()
        let first = operation()
        registry.started(first, of: try key("a"))
        #expect(registry.admits(try attempt(2), of: try key("a")) == false)
        #expect(registry.admits(try attempt(3), of: try key("a")) == false)
        #expect(registry.ended(first, of: try key("a"))?.attempt == 3)
    }

    @Test func theEndOfAnOldAttemptDoesNotReleaseWhatWaitsForItsSuccessor() throws {
        var registry = Registry()
        let (first, second) = (operation(), operation())
        registry.started(first, of: try key("a"))
        registry.started(second, of: try key("a"))
        #expect(registry.admits(try attempt(3), of: try key("a")) == false)
        #expect(registry.ended(first, of: try key("a")) == nil)
        #expect(registry.ended(second, of: try key("a"))?.attempt == 3)
    }
}
