import Foundation
import TestSupport
import Testing

@testable import Spate

@Suite struct EventMailboxTests {
    private func state(_ name: String) -> DownloadEvent { .state(.finished(URL(fileURLWithPath: "/\(name)"))) }

    private func progress(_ bytes: Int64) -> DownloadEvent { .progress(DownloadProgress(receivedBytes: bytes)) }

    private func rest(of mailbox: EventMailbox) async throws -> [String] {
        try await withDeadline(.seconds(60)) {
            var texts: [String] = []
            while let event = await mailbox.next() { texts.append(event.text) }
            return texts
        }
    }

    @Test func statesAreNeverLostAndOfProgressBetweenThemOnlyTheLastIsKept() async throws {
        let mailbox = EventMailbox()
        for round in 0..<100 {
            mailbox.put(state("a\(round)"))
            mailbox.put(state("b\(round)"))
            for bytes in 0...5 { mailbox.put(progress(Int64(10 * round + bytes))) }
        }
        mailbox.close()
        let expected = (0..<100).flatMap { ["/a\($0)", "/b\($0)", "\(10 * $0 + 5)"] }
        #expect(try await rest(of: mailbox) == expected)
    }

    @Test func whatWaitsAtTheCloseIsReadAndWhatComesLaterIsNot() async throws {
        let mailbox = EventMailbox()
        mailbox.put(state("end"))
        mailbox.close()
        mailbox.put(state("late"))
        mailbox.close()
        #expect(try await rest(of: mailbox) == ["/end"])
        #expect(try await rest(of: mailbox) == [])
    }

    @Test func aReaderThatWaitsIsWokenByAnEventAndByTheClose() async throws {
        let mailbox = EventMailbox()
        let heard = Recorder<String>()
        let reader = Task {
            while let event = await mailbox.next() { heard.append(event.text) }
            heard.append("over")
        }
        for turn in 1...50 {
            mailbox.put(state("\(turn)"))
            try await heard.wait(forCount: turn)
        }
        mailbox.close()
        try await withDeadline(.seconds(60)) { await reader.value }
        #expect(heard.values == (1...50).map { "/\($0)" } + ["over"])
    }

    @Test func cancellingTheReaderEndsItsWaitAndTheMailbox() async throws {
        let mailbox = EventMailbox()
        let reader = Task { await mailbox.next() == nil }
        reader.cancel()
        #expect(try await withDeadline(.seconds(60)) { await reader.value })
        mailbox.put(state("late"))
        #expect(try await rest(of: mailbox) == [])
    }

    @Test func cancellationWhereverItMeetsTheReadersWaitEndsIt() async throws {
        try await withDeadline(.seconds(60)) {
            for turn in 0..<200 {
                let mailbox = EventMailbox()
                let reader = Task { while await mailbox.next() != nil {} }
                if turn.isMultiple(of: 3) { await Task.yield() }
                mailbox.put(.state(.running))
                if turn.isMultiple(of: 2) { await Task.yield() }
                reader.cancel()
                await reader.value
            }
        }
    }

    @Test func ofManyThreadsEachIsHeardWholeAndInItsOrder() async throws {
        let mailbox = EventMailbox()
        let (threads, count) = (8, 200)
        let reader = Task {
            var texts: [String] = []
            while let event = await mailbox.next() { texts.append(event.text) }
            return texts
        }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                DispatchQueue.concurrentPerform(iterations: threads) { thread in
                    for turn in 0..<count {
                        mailbox.put(.state(.finished(URL(fileURLWithPath: "/\(thread)-\(turn)"))))
                        mailbox.put(.progress(DownloadProgress(receivedBytes: Int64(turn))))
                    }
                }
                mailbox.close()
                continuation.resume()
            }
        }
        let texts = try await withDeadline(.seconds(60)) { await reader.value }
        for thread in 0..<threads {
            #expect(texts.filter { $0.hasPrefix("/\(thread)-") } == (0..<count).map { "/\(thread)-\($0)" })
        }
    }
}

extension DownloadEvent {
    fileprivate var text: String {
        switch self {
        case .state(.finished(let file)): file.path
        case .state(let state): "\(state)"
        case .progress(let progress): "\(progress.receivedBytes)"
        }
    }
}
