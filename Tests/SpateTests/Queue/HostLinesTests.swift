import Foundation
import HTTPResumption
import Locking
import Testing

@testable import Spate

@Suite struct HostLinesTests {
    private let test: SilentManager
    private let a: HTTPOrigin
    private let b: HTTPOrigin
    private var lines = HostLines(limit: 2)

    init() throws {
        test = try SilentManager()
        (a, b) = (try HTTPURL("http://a/").origin, try HTTPURL("http://b/").origin)
    }

    private func waiting(_ serial: UInt64) -> WaitingDownload {
        let download = Download(DownloadRequest(test.url("\(serial)")), nil, serial: serial, manager: test.manager)
        return WaitingDownload(download: download, attempt: 1, manager: test.manager)
    }

    @Test mutating func noneIsFirstWhoseHostIsFull() {
        lines.addAttempt(2, at: a)
        lines.append(waiting(1), at: a)
        #expect(lines.first == nil && lines.count == 1 && !lines.hasRoom(a) && lines.hasRoom(b))
        lines.addAttempt(-1, at: a)
        #expect(lines.first?.host == a && lines.hasRoom(a))
    }

    @Test mutating func ofSeveralHostsWithRoomTheOneThatWasEnqueuedEarlierIsFirst() throws {
        let hosts = try (0..<8).map { try HTTPURL("http://host\($0)/").origin }
        for (serial, host) in zip([5, 3, 7, 1, 8, 2, 6, 4] as [UInt64], hosts) {
            lines.append(waiting(serial), at: host)
        }
        var order: [UInt64] = []
        while let first = lines.first, let next = lines.popFirst(at: first.host) { order.append(next.download.serial) }
        #expect(order == Array(1...8) && lines.count == 0)
    }

    @Test mutating func helpersTakeNoRoomForWhichADownloadWaits() {
        lines.addAttempt(2, at: a)
        lines.append(waiting(1), at: a)
        lines.addAttempt(-1, at: a)
        #expect(lines.helperRoom(at: a, open: 1) == 0)
        #expect(lines.popFirst(at: a) != nil)
        #expect(lines.helperRoom(at: a, open: 1) == 1)
    }

    @Test mutating func aHelpersRefusalKeepsTheHostQuiet() {
        let refusal = HostRestraint.Refusal(host: a, wait: .seconds(3), isOfHost: true)
        lines.note(refusal, at: a, of: nil)
        #expect(!lines.hasRoom(a) && lines.hasRoom(a, urgently: true) && lines.helperRoom(at: a, open: 0) == 0)
        lines.now = .seconds(3)
        #expect(lines.hasRoom(a) && lines.helperRoom(at: a, open: 0) == 2)
    }
}
