import Foundation
import Spate
import TestSupport
import Testing

/// No connection, for one reason or another (RESUMPTION.md 87).
@Suite struct TimeConnectTests {
    private func error(
        of url: URL,
        connectTimeout: Duration = .seconds(120)
    ) async throws -> DownloadError {
        let test = try TestManager {
            $0.retry = .never
            $0.connectTimeout = connectTimeout
        }
        let error = try #require(try await test.manager.download(url).ended().error)
        #expect(!error.keptPartialFile && test.names.isEmpty)
        return error
    }

    @Test func anUnknownHostIsNamed() async throws {
        let error = try await error(of: try #require(URL(string: "http://nothing-here.invalid/f")))
        #expect(error.code == .hostNotFound && error.isRetryable && error.message.contains("nothing-here.invalid"))
    }

    @Test func aRefusedConnectionIsReportedWithItsPort() async throws {
        let port = try DeadPort(.refusing)
        let error = try await error(of: port.url("/f"))
        #expect(error.code == .connectionFailed && error.isRetryable && error.message.contains("\(port.port)"))
    }

    @Test func aHostThatDoesNotAnswerMeetsTheConnectDeadline() async throws {
        let port = try DeadPort(.unanswering)
        let error = try await error(of: port.url("/f"), connectTimeout: .milliseconds(300))
        #expect(error.code == .timedOut && error.isRetryable)
    }

    @Test func anAddressWithoutARouteFails() async throws {
        // Reserved for ever, and no socket may connect to it.
        let error = try await error(
            of: try #require(URL(string: "http://255.255.255.255/f")),
            connectTimeout: .seconds(1)
        )
        #expect([.connectionFailed, .timedOut].contains(error.code) && error.isRetryable)
    }

    @Test func aHandshakeThatNeverComesMeetsTheConnectDeadline() async throws {
        let server = try TestServer { _ in .silence }
        let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/f"))
        let error = try await error(of: url, connectTimeout: .milliseconds(300))
        #expect(error.code == .timedOut && error.isRetryable)
    }
}
