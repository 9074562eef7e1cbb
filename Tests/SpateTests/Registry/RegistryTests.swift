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

    private func download(_ name: String, serial: UInt64 = 0) throws -> Download {
        let request = DownloadRequest(test.url(name))
        return Download(
            request: request,
            checked: try CheckedRequest(request, in: test.manager.checkedConfiguration),
            serial: serial,
            core: DownloadCore(machine: DownloadMachine(policy: .never), audience: Audience(callbackQueue: .main)),
            manager: test.manager
        )
    }

    private func operation() -> DownloadOperation {
        DownloadOperation(url: test.url("a")) { _ in nil }
    }

    @Test func anOldDownloadDoesNotEvictItsSuccessorNorItsName() throws {
        var registry = Registry()
        let (old, new) = (try download("a"), try download("a"))
        registry.insert(old, key: try key("a"))
        registry.remove(old)
        #expect(registry.known(try key("a")) == nil)
        registry.insert(new, key: try key("a"))
        #expect(registry.names.claim("a", in: "/d", for: try key("a")) == true)
        registry.remove(old)
        #expect(registry.known(try key("a")) === new)
        #expect(registry.names.isTaken("a", in: "/d", from: try key("b")))
    }

    @Test func aDownloadThatGoesLeavesItsNameToOthers() throws {
        var registry = Registry()
        let download = try download("a")
        registry.insert(download, key: try key("a"))
        #expect(registry.names.claim("a", in: "/d", for: try key("a")) == true)
        registry.remove(download)
        #expect(!registry.names.isTaken("a", in: "/d", from: try key("b")))
    }

    @Test func anAttemptThatOutlivesItsDownloadKeepsNoNameWhenItEnds() throws {
        var registry = Registry()
        let download = try download("a")
        let operation = operation()
        registry.insert(download, key: try key("a"))
        registry.started(operation, of: try key("a"))
        registry.remove(download)
        // It opens its file when nobody wants it any more.
        #expect(registry.names.claim("a", in: "/d", for: try key("a")) == true)
        _ = registry.ended(operation, of: try key("a"))
        #expect(!registry.names.isTaken("a", in: "/d", from: try key("b")))
    }

    @Test func downloadsAreListedAsTheyCame() throws {
        var registry = Registry()
        for name in 0..<20 {
            registry.insert(try download("\(name)", serial: registry.nextSerial()), key: try key("\(name)"))
        }
        #expect(registry.all.map(\.url) == (0..<20).map { test.url("\($0)") })
    }

    private func attempt(_ number: Int) throws -> QueuedAttempt {
        QueuedAttempt(download: try download("a"), attempt: number, manager: test.manager)
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
