import Foundation
import SpateHTTPSyntax
import SpatePartialFiles

// Errors in the request itself, found before disk and network are touched.
extension DownloadError {
    /// - Parameter text: the URL as the caller gave it.
    init(_ error: HTTPURLError, text: String) {
        let fault = Self.sentence("\(error)")
        let code: Code
        var message: String
        switch error {
        case .unsupportedScheme:
            // The URL is not shown: in an unknown scheme a secret can be anywhere.
            (code, message) = (.unsupportedScheme, "\(fault). Use the file's http or https URL.")
        case .notAURL, .missingHost, .invalidHost, .invalidPort, .invalidCredentials, .controlCharacter:
            (code, message) = (.badURL, "\(fault)\(Self.shown(text)). Check the URL.")
        case .tooLong:
            (code, message) = (.badURL, "\(fault). Use a shorter one.")
        }
        self.init(code, message, underlying: error)
    }

    /// The file name that the caller chose cannot be used.
    init(_ error: FileNameError) {
        let advice = "Choose another name, or give none to use the URL's."
        self.init(.badFileName, "\(Self.sentence("\(error)")). \(advice)", underlying: error)
    }

    static func foreignFolder(_ url: URL) -> DownloadError {
        DownloadError(
            .fileSystem,
            "The download folder must be on this machine, not on \(machine(of: url)). Use a file URL."
        )
    }

    static func badHeaderName(_ name: String) -> DownloadError {
        DownloadError(
            .badHeader,
            "The header name \(String(reflecting: name)) has an invalid character. Use letters, digits and hyphens."
        )
    }

    /// The value is not shown: it may be a secret.
    static func badHeaderValue(of name: String) -> DownloadError {
        DownloadError(
            .badHeader,
            "The value of the header \(name) has a line break or another control character. Remove it."
        )
    }

    static func ownHeader(_ name: String) -> DownloadError {
        DownloadError(.badHeader, "Spate itself sets the header \(name). Leave it out.")
    }

    /// The URL is not shown: it may have a password.
    static func invalidRange(_ text: String) -> DownloadError {
        DownloadError(
            .addressNotAllowed,
            "\(quoted(text)) is not an address or a range of them. Write it like 10.1.2.0/24 or fd00::/8."
        )
    }

    static func unusableProxy(_ reason: String) -> DownloadError {
        DownloadError(.proxy, "The proxy cannot be used: \(reason). Give it as in http://proxy.example.org:3128.")
    }

    static func unusableInterface(_ reason: String) -> DownloadError {
        DownloadError(
            .connectionFailed,
            "The configured network interface cannot be used: \(reason). Give its name, such as eth0, or its address."
        )
    }

    static func foreignCertificate(_ url: URL) -> DownloadError {
        DownloadError(
            .tls,
            "A client certificate must be on this machine, not on \(machine(of: url)). Use file URLs."
        )
    }

    /// Not the whole URL: it may contain a password.
    private static func machine(of url: URL) -> String { url.host ?? url.scheme ?? "another" }

    static func unusableCertificate(_ path: String, _ reason: String) -> DownloadError {
        DownloadError(
            .tls,
            "The client certificate \(path) cannot be used: \(reason). Name a readable PEM file with a certificate."
        )
    }

    static func unusableKey(_ path: String, _ reason: String) -> DownloadError {
        DownloadError(
            .tls,
            "The private key \(path) of the client certificate cannot be used: \(reason). "
                + "Name a readable PEM file with a key."
        )
    }

    static func missingKey(in path: String) -> DownloadError {
        DownloadError(
            .tls,
            "The client certificate \(path) has no private key in PEM form beside it. Name the file of the key, too."
        )
    }

    /// The key has a passphrase.
    static func lockedKey(_ path: String) -> DownloadError {
        DownloadError(
            .tls,
            "The private key in \(path) is locked by a passphrase. Use a copy without one that only you can read; "
                + "openssl pkey makes it."
        )
    }

    /// - Parameter digest: the text that is not a digest of the algorithm.
    static func badDigest(_ digest: String, of algorithm: Checksum.Algorithm) -> DownloadError {
        var advice = "Give \(algorithm.digitCount) hexadecimal digits"
        let other = Checksum.Algorithm.allCases.first { $0.digitCount == digest.utf8.count }
        if let other, other != algorithm, Checksum.isHexadecimal(digest) {
            advice += "; \(other.digitCount) are \(other.article) \(other.standardName)"
        }
        return DownloadError(
            .badChecksum,
            "\(quoted(digest)) is not \(algorithm.article) \(algorithm.standardName). \(advice)."
        )
    }

    /// - Parameter reason: what is wrong, and in which line.
    static func badMetalink(_ reason: String) -> DownloadError {
        DownloadError(.badMetalink, "The Metalink cannot be read: \(reason). Ask its publisher for a valid one.")
    }

    /// - Parameter text: the text that is not a checksum.
    static func badChecksum(_ text: String) -> DownloadError {
        let names = Checksum.Algorithm.allCases.map(\.rawValue).joined(separator: ", ")
        return DownloadError(
            .badChecksum,
            "\(quoted(text)) is not a checksum. Give ALGORITHM:DIGEST, such as sha256:2c26…, with one of \(names)."
        )
    }

    private static func quoted(_ text: some StringProtocol) -> String { String(reflecting: String(text.prefix(200))) }

    /// What the program threw. Only a text for people: any other description may print a secret.
    private static func reason(_ error: any Error) -> String {
        let text = (error as? any LocalizedError)?.errorDescription ?? "\(type(of: error))"
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }

    /// The program does not accept a response.
    init(notAccepted error: any Error) {
        if let error = error as? DownloadError {
            self = error
            return
        }
        self.init(
            .badResponse,
            "The response was not accepted (\(Self.reason(error))). Check the URL, or what accept demands.",
            underlying: error
        )
    }

    /// The program could not prepare a request.
    init(preparingFailed error: any Error) {
        let mayPass = (error as? DownloadError)?.isRetryable ?? true
        self.init(
            .prepare,
            "The request could not be prepared (\(Self.reason(error))). "
                + (mayPass ? "Try again later." : "Something must change first."),
            isRetryable: mayPass,
            underlying: error
        )
    }

    /// The prepared URL cannot be requested. The message hides it: any part of it may be a secret.
    init(preparingReturned error: HTTPURLError) {
        let (code, fault, underlying): (Code, String, HTTPURLError?) =
            if case .unsupportedScheme = error {
                (.unsupportedScheme, "only http and https are supported", nil)
            } else {
                (.badURL, "\(error)", error)
            }
        self.init(
            code,
            "The prepared URL cannot be used: \(fault). Check what prepare returns.",
            underlying: underlying
        )
    }

    /// A prepared header cannot be sent.
    init(preparingReturnedHeaders error: DownloadError) {
        self.init(
            error.code,
            "A prepared header has a forbidden character, or is one that Spate sets itself. "
                + "Check what prepare returns."
        )
    }

    /// The request's time limit has passed.
    static func timeIsUp(_ limit: Duration) -> DownloadError {
        let what = "The file was not complete after \(DownloadFormat.time(limit))"
        var error = DownloadError(
            .timedOut,
            "\(what). Try again to get the rest, or allow more time.",
            isRetryable: true
        )
        error.reason = what
        return error
    }

    /// A different request for the same URL has not ended.
    static func conflict(_ differences: RequestDifferences) -> DownloadError {
        let words = differences.words.joined(separator: ", ")
        return DownloadError(
            .conflict,
            "The URL is being downloaded for a request that differs in: \(words). "
                + "Wait for its end, or use a manager with a folder of its own."
        )
    }

    /// The text of an invalid URL, for a message: without its query, and empty if it may contain a password.
    private static func shown(_ text: String) -> String {
        let address = text.prefix { $0 != "?" && $0 != "#" }
        guard !address.isEmpty, !address.contains("@") else { return "" }
        return ": \(quoted(address))"
    }
}
