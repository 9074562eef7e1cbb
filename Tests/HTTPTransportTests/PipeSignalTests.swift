import Dispatch
import Foundation
import SpateHTTPSyntax
import SpateHTTPTransport
import Testing

/// The loop on a queue runs on threads that have not blocked SIGPIPE.
struct PipeSignalTests {
    @Test func aWriteToALostConnectionDoesNotEndTheProcess() async {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_DFL)
            let transport = CurlTransport(loopCount: 1)
            let queue = try #require(transport.loop?.queue)
            let sink = RaisingSink()
            // Nobody listens there.
            transport.start(try TransportRequest(#require(URL(string: "http://127.0.0.1:1/"))), sink: sink)
            sink.hasEnded.wait()
            // The loop rests when these run, and has unblocked the signal.
            for _ in 0..<10 {
                let hasRun = DispatchSemaphore(value: 0)
                queue.async {
                    var signals = sigset_t()
                    pthread_sigmask(SIG_BLOCK, nil, &signals)
                    #expect(sigismember(&signals, SIGPIPE) == 0)
                    hasRun.signal()
                }
                hasRun.wait()
            }
        }
    }
}

/// Raises SIGPIPE as a TLS library does, within the loop's turn.
private final class RaisingSink: TransportSink {
    let hasEnded = DispatchSemaphore(value: 0)

    func receive(head: ResponseHead) -> BodyDisposition { .discard }

    func receive(bytes: UnsafeRawBufferPointer, isLast: Bool) -> Bool { true }

    func end(_ end: TransferEnd) {
        pthread_kill(pthread_self(), SIGPIPE)
        hasEnded.signal()
    }
}
