import Foundation
import SpateHTTPSyntax
import SpatePartialFiles

@testable import Spate

extension MessageSample {
    static func ofRequests(_ url: HTTPURL) -> [MessageSample] {
        let addresses = HTTPURLError.samples.map { DownloadError($0.error, text: $0.text) }
        let names = FileNameError.samples.map { DownloadError($0) }
        let others: [DownloadError] = [
            .badHeaderName("X Name"), .badHeaderValue(of: "X-Name"), .ownHeader("Range"),
            .badDigest("abc", of: .sha256), .badDigest(String(repeating: "0", count: 40), of: .sha256),
            .badChecksum("abc"), .badMetalink("the document ends too early, in line 3"),
            .missingDigest(.md5), .missingDigest(.md5, of: "/downloads/file.zip"),
            .conflict(differences(url)),
            DownloadError(preparingFailed: DownloadError(.badResponse, "No token.", isRetryable: true)),
            DownloadError(preparingFailed: DownloadError(.badResponse, "No licence.")),
            DownloadError(notAccepted: CancellationError()), .timeIsUp(.seconds(60)),
            DownloadError(preparingReturned: .missingHost),
            DownloadError(preparingReturned: .unsupportedScheme("ftp")),
            DownloadError(preparingReturnedHeaders: .ownHeader("Range")),
        ]
        let certificates: [DownloadError] = [
            .unusableCertificate("/home/me/client.pem", "No such file or directory"),
            .unusableKey("/home/me/client.key", "it has no private key in PEM form"),
            .missingKey(in: "/home/me/client.pem"), .lockedKey("/home/me/client.key"),
            .unusableProxy("its scheme is not one of http, https, socks4, socks4a, socks5 and socks5h"),
            .unusableProxy("there is more after its host and port"),
            .invalidRange("10.1.2"),
            .unusableInterface("its name is empty"),
            .unusableInterface("its name has more than 254 bytes"),
        ]
        let hosts = [URL(string: "sftp://files.example.net/client.pem")].compactMap(\.self)
        let files = hosts.map(DownloadError.foreignCertificate)
        let folders = [URL(string: "sftp://example.org/folder")].compactMap(\.self).map(DownloadError.foreignFolder)
        return (addresses + names + others + certificates + files + folders).map(MessageSample.init)
    }
}

extension MessageSample {
    private static func differences(_ url: HTTPURL) -> RequestDifferences {
        let plain = DownloadRequest(URL(fileURLWithPath: "/"))
        var other = plain
        other.headers = ["Authorization": "secret"]
        other.expectedBytes = 1000
        var differences = RequestDifferences()
        differences.compare(RequestSender(plain, url), RequestSender(other, url))
        differences.compare(JoiningRequest(known: plain, wanted: other))
        return differences
    }
}

extension HTTPURLError {
    fileprivate static let samples: [(error: HTTPURLError, text: String)] = [
        (.notAURL, "example.org/file.zip"), (.unsupportedScheme("ftp"), "ftp://example.org/file.zip"),
        (.missingHost, "https:///file.zip"), (.invalidHost, "https://a%2Fb/file.zip"),
        (.invalidPort, "https://example.org:99999/file.zip"), (.invalidCredentials, "https://%FF@example.org/"),
        (.controlCharacter, "https://example.org/file.zip\n"), (.tooLong, "https://example.org/"),
    ]

    static var sampleNumbers: [Int] { samples.map(\.error.number) }

    /// A number for each case, so that a new case does not compile without one. Then it needs a sample, too.
    private var number: Int {
        switch self {
        case .notAURL: 0
        case .unsupportedScheme: 1
        case .missingHost: 2
        case .invalidHost: 3
        case .invalidPort: 4
        case .invalidCredentials: 5
        case .controlCharacter: 6
        case .tooLong: 7
        }
    }
}

extension FileNameError {
    static let samples: [FileNameError] = [
        "", "..", "folder/file.zip", "file\n.zip", String(repeating: "a", count: 300), "file.part",
    ]
    .compactMap { name in
        do throws(FileNameError) {
            _ = try FileName(explicit: name)
            return nil
        } catch {
            return error
        }
    }
}
