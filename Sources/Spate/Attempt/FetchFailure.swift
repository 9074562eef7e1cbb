import SpateHTTPResumption
import SpateHTTPSyntax
import SpateHTTPTransport
import SpateHosts

/// How an attempt ends without a final file.
enum AttemptEnd {
    case cancelled
    // A failure is large and rare: with memory of its own, it costs the other values nothing.
    indirect case failed(FetchFailure)
    /// The host has no room, or has asked to wait.
    case waits(HTTPOrigin)
}

/// Why an attempt ended without a complete file.
struct FetchFailure {
    var error: DownloadError
    /// How long the server asks to wait.
    var retryAfter: Duration?
    /// Set after a 429 or 503.
    var refusal: HostRestraint.Refusal?
    /// Whether it counts as without progress although bytes arrived: too few for this many requests.
    var isFutile = false
    /// The host and the time of the refusal, if helpers may have caused it.
    var suspicion: (host: HTTPOrigin, time: FetchMachine.Time)?

    /// The host that has closed the connection without an answer, or has taken none.
    var turnedAwayBy: HTTPOrigin?
    /// Set if an address of the host has failed.
    var failedAddress: FailedAddress?
    /// A URL of the host that was not found.
    var unfoundHost: HTTPURL?
    /// Whether the host was not found because there is no such name, and it is not known to have been one.
    var hasNoSuchName = false

    init(_ error: DownloadError) {
        self.error = error
    }

    /// Whether the disk failed, so that no connection can write the file.
    var isOfDisk: Bool { error.code == .diskFull || error.code == .fileSystem }
}

extension TransportError {
    /// Whether a server may have meant that it has too many connections.
    var isRefusal: Bool {
        switch kind {
        case .connectionFailed, .emptyReply, .broken: proxy == nil
        default: false
        }
    }
}

extension HostRestraint.Refusal {
    /// `nil` for other faults.
    init?(_ fault: ResponseFault, at address: HTTPURL, wait: Duration?) {
        guard case .status(let status) = fault.reason, status == 429 || status == 503 else { return nil }
        self.init(host: address.origin, wait: wait, isOfHost: status == 429 || wait != nil)
    }
}
