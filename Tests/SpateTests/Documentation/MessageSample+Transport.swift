import SpateHTTPSyntax
import SpateHTTPTransport

@testable import Spate

extension MessageSample {
    static func ofTransport(_ url: HTTPURL) -> [MessageSample] {
        TransportError.samples.map { MessageSample(DownloadError($0, url, at: nil)) }
            + [
                DownloadError(.samples[1], url, at: "mirror.example.org:8080"),
                DownloadError(.refused, url, at: "mirror.example.org"),
                .tooSlow(MinimumSpeed(bytesPerSecond: 1_024, over: .seconds(30)), at: nil),
            ]
            .map { MessageSample($0) }
    }
}

extension TransportError {
    /// The same of a proxy that the program gave.
    private static func given(_ error: TransportError) -> TransportError {
        var error = error
        error.hasGivenProxy = true
        return error
    }

    fileprivate static let refused: TransportError = {
        var error = TransportError(.addressNotAllowed, detail: "")
        error.address = "10.0.0.7"
        return error
    }()

    // The detail is libcurl's text, which differs between versions.
    static let samples: [TransportError] = [
        TransportError(.hostNotFound, detail: "Could not resolve host: example.org"),
        TransportError(
            .connectionFailed,
            detail: "Failed to connect to example.org port 443: Couldn't connect to server",
            systemReason: "Connection refused"
        ),
        refused,
        TransportError(.addressNotAllowed, detail: "", proxy: "proxy.example.org:3128"),
        TransportError(.connectionFailed, detail: "the server has sent an alert"),
        TransportError(.proxy, detail: "Connection refused", proxy: "proxy.example.org:3128"),
        TransportError(.connectTimeout, detail: "Connection timed out", proxy: "proxy.example.org:3128"),
        TransportError(.proxySettings, detail: "unsupported by this libcurl, or malformed"),
        given(TransportError(.proxy, detail: "Connection refused", proxy: "proxy.example.org:3128")),
        given(TransportError(.proxySettings, detail: "unsupported by this libcurl, or malformed")),
        TransportError(
            .proxyRefused(status: 407, hasCredentials: false),
            detail: "CONNECT tunnel failed, response 407",
            proxy: "proxy.example.org:3128"
        ),
        TransportError(
            .proxyRefused(status: 407, hasCredentials: true),
            detail: "CONNECT tunnel failed, response 407",
            proxy: "proxy.example.org:3128"
        ),
        TransportError(
            .proxyRefused(status: 403, hasCredentials: false),
            detail: "CONNECT tunnel failed, response 403",
            proxy: "proxy.example.org:3128"
        ),
        TransportError(
            .proxyRefused(status: 503, hasCredentials: false),
            detail: "CONNECT tunnel failed, response 503",
            proxy: "proxy.example.org:3128"
        ),
        TransportError(
            .beyondProxy,
            detail: "Can't complete SOCKS5 connection to example.org. (4)",
            proxy: "proxy.example.org:1080"
        ),
        TransportError(
            .proxyRefused(status: nil, hasCredentials: false),
            detail: "No authentication method was acceptable.",
            proxy: "proxy.example.org:1080"
        ),
        TransportError(.notTLSBehindProxy, detail: "wrong version number", proxy: "proxy.example.org:3128"),
        TransportError(.tlsHandshake, detail: "wrong version number"),
        TransportError(.tlsUntrusted, detail: "SSL certificate problem: certificate has expired"),
        TransportError(.tlsConfiguration, detail: "error setting certificate verify locations: CAfile: ca.pem"),
        TransportError(.clientCertificateUnusable, detail: "Private key does not match the certificate public key"),
        TransportError(.clientCertificateMissing, detail: "tlsv13 alert certificate required"),
        TransportError(.clientCertificateRefused, detail: "tlsv1 alert unknown ca"),
        TransportError(.connectTimeout, detail: "Connection timed out after 15000 milliseconds"),
        TransportError(.headTimeout, detail: "no complete response head within 30.0 seconds"),
        TransportError(.stalled, detail: "no byte within 30.0 seconds"),
        TransportError(.emptyReply, detail: "Empty reply from server"),
        TransportError(.broken, detail: "Recv failure: Connection reset by peer"),
        TransportError(.malformedChunks, detail: "a chunk has an invalid size"),
        TransportError(.malformedResponse, detail: "Received HTTP/0.9 when not allowed"),
        TransportError(.headTooLarge, detail: "a header field of more than 100 KB"),
        TransportError(.interface, detail: "Couldn't bind to 'tun7'"),
        TransportError(.other(27), detail: "out of memory"),
    ]
}
