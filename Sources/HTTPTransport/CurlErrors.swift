import CSpateCurl

/// Turns libcurl's result codes into texts and transport errors.
enum CurlErrors {
    static func easyText(_ code: CInt) -> String { String(cString: spate_curl_error_text(code)) }
    static func multiText(_ code: CInt) -> String { String(cString: spate_curl_multi_error_text(code)) }

    static func error(code: CInt, detail: String) -> TransportError {
        TransportError(kind(code: code, detail: detail), detail: detail)
    }

    static func isLostConnection(_ code: CInt) -> Bool {
        switch Int(code) {
        case SPATE_CURLE_GOT_NOTHING, SPATE_CURLE_PARTIAL_FILE, SPATE_CURLE_RECV_ERROR, SPATE_CURLE_SEND_ERROR,
            SPATE_CURLE_HTTP2, SPATE_CURLE_HTTP2_STREAM:
            true
        default: false
        }
    }

    private static func kind(code: CInt, detail: String) -> TransportError.Kind {
        if let kind = alert(code: Int(code), detail: detail) { return kind }
        return switch Int(code) {
        case SPATE_CURLE_COULDNT_RESOLVE_HOST: .hostNotFound
        case SPATE_CURLE_COULDNT_CONNECT: .connectionFailed
        case SPATE_CURLE_COULDNT_RESOLVE_PROXY, SPATE_CURLE_PROXY: .proxy
        case SPATE_CURLE_OPERATION_TIMEDOUT: .connectTimeout
        // A connection that breaks during the handshake is not a TLS error.
        case SPATE_CURLE_SSL_CONNECT_ERROR where isBrokenConnection(detail): .connectionFailed
        case SPATE_CURLE_SSL_CLIENTCERT: .clientCertificateMissing
        case SPATE_CURLE_SSL_CONNECT_ERROR, SPATE_CURLE_SSL_CIPHER: .tlsHandshake
        case SPATE_CURLE_PEER_FAILED_VERIFICATION, SPATE_CURLE_SSL_ISSUER_ERROR,
            SPATE_CURLE_SSL_INVALIDCERTSTATUS:
            .tlsUntrusted
        case SPATE_CURLE_SSL_CACERT_BADFILE: .tlsConfiguration
        case SPATE_CURLE_SSL_CERTPROBLEM: .clientCertificateUnusable
        case SPATE_CURLE_GOT_NOTHING: .emptyReply
        // libcurl uses one code for malformed chunks and broken connections. Only the text tells them apart.
        case SPATE_CURLE_RECV_ERROR where detail.contains("chunk"): .malformedChunks
        case SPATE_CURLE_PARTIAL_FILE, SPATE_CURLE_RECV_ERROR, SPATE_CURLE_SEND_ERROR,
            SPATE_CURLE_HTTP2, SPATE_CURLE_HTTP2_STREAM, SPATE_CURLE_SSL_SHUTDOWN_FAILED:
            .broken
        case SPATE_CURLE_WEIRD_SERVER_REPLY, SPATE_CURLE_UNSUPPORTED_PROTOCOL,
            SPATE_CURLE_FILESIZE_EXCEEDED:
            .malformedResponse
        case SPATE_CURLE_INTERFACE_FAILED: .interface
        default: .other(Int(code))
        }
    }

    /// What a server says of the client's certificate; `nil` if nothing. Over TLS 1.3, it does when the client has
    /// finished its part of the handshake.
    private static func alert(code: Int, detail: String) -> TransportError.Kind? {
        let codes = [SPATE_CURLE_SSL_CONNECT_ERROR, SPATE_CURLE_RECV_ERROR, SPATE_CURLE_SEND_ERROR]
        guard codes.contains(code), detail.contains("alert ") else { return nil }
        if detail.contains("alert certificate required") { return .clientCertificateMissing }
        return refusals.contains { detail.contains("alert \($0)") } ? .clientCertificateRefused : nil
    }

    /// What a server's alerts say of a client's certificate, in the words of the TLS library.
    private static let refusals = [
        "bad certificate", "unsupported certificate", "certificate revoked", "certificate expired",
        "certificate unknown", "unknown ca", "access denied",
    ]

    private static func isBrokenConnection(_ detail: String) -> Bool {
        ["SSL_ERROR_SYSCALL", "unexpected eof", "Connection reset", "Broken pipe"].contains { detail.contains($0) }
    }
}
