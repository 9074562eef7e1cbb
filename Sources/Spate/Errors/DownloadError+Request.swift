import Foundation
import HTTPResumption
import PartialFiles

// What makes a request one that cannot be met: told by it alone, before disk and network are touched.
extension DownloadError {
    /// - Parameter text: the URL as it was given.
    init(_ error: HTTPURLError, text: String) {
        let fault = Self.sentence("\(error)")
        let code: Code
        var message: String
        switch error {
        case .unsupportedScheme:
            // What follows a foreign scheme is not shown: nobody knows where a secret stands in it.
            (code, message) = (.unsupportedScheme, "\(fault). Give the file's address on a web server.")
        case .notAURL, .missingHost, .invalidHost, .invalidPort, .invalidCredentials, .controlCharacter:
            (code, message) = (.badURL, "\(fault)\(Self.shown(text)). Check how it is written.")
        case .tooLong:
            (code, message) = (.badURL, "\(fault). Check what it was put together from.")
        }
        self.init(code, message, underlying: error)
    }

    /// A name that the caller chose cannot be used.
    init(_ error: FileNameError) {
        let advice = "Choose another name, or none to take the URL's."
        self.init(.badFileName, "\(Self.sentence("\(error)")). \(advice)", underlying: error)
    }

    static func foreignFolder(_ url: URL) -> DownloadError {
        // Not the whole URL: it may have a password in it.
        let place = url.host ?? url.scheme ?? "another"
        return DownloadError(
            .fileSystem,
            "The folder for downloads must be on this machine, not on \(place). Give it as a file URL."
        )
    }

    static func badHeaderName(_ name: String) -> DownloadError {
        DownloadError(
            .badHeader,
            "The header name \(String(reflecting: name)) has a character that none may have. Use letters, digits and "
                + "hyphens."
        )
    }

    /// The value is not told: it may be a secret.
    static func badHeaderValue(of name: String) -> DownloadError {
        DownloadError(
            .badHeader,
            "The value of the header \(name) has a line break or a control character. Remove it."
        )
    }

    static func ownHeader(_ name: String) -> DownloadError {
        DownloadError(.badHeader, "The header \(name) is set by Spate itself and cannot be given. Leave it out.")
    }

    static func badChecksum(_ digest: String, url: HTTPURL) -> DownloadError {
        DownloadError(
            .badChecksum,
            "The SHA-256 given for \(url.shown) is none: \(String(reflecting: digest)). Give 64 hexadecimal digits."
        )
    }

    /// A URL that cannot be taken apart, for a message: nothing of it where a password may be in it, and no query.
    private static func shown(_ text: String) -> String {
        let address = text.prefix { $0 != "?" && $0 != "#" }
        guard !address.isEmpty, !address.contains("@") else { return "" }
        return ": \(String(reflecting: String(address.prefix(200))))"
    }
}
