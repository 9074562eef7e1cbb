import SpateHTTPResumption
import SpateHTTPSyntax
import SpateHTTPTransport

/// What an attempt takes over from its download when it begins.
struct AttemptStart {
    /// The mirror to ask; `nil` for the enqueued URL.
    let mirror: HTTPURL?
    /// Whether the mirror starts from zero, beside the bytes of the enqueued URL.
    let beginsAnew: Bool
    let rate: RateShare
    /// Whether to ignore that the host has asked to wait.
    let isUrgent: Bool
    /// The steps tried by earlier attempts.
    let history: ResumeHistory
    /// Whether the last attempt has dropped its bytes to start over. A part that is found now is somebody else's copy, and
    /// no better.
    let startsOver: Bool
}
