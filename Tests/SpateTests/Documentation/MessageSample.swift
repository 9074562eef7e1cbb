import Foundation
import SpateHTTPSyntax

@testable import Spate

/// One message of each kind, made by the functions that make them for users.
struct MessageSample {
    let error: DownloadError

    init(_ error: DownloadError) {
        self.error = error
    }

    static func all(at text: String = "https://ann:secret@example.org/file.zip") throws -> [MessageSample] {
        let url = try HTTPURL(text)
        return [MessageSample(.wasCancelled)] + ofRequests(url) + ofTransport(url) + ofResponses()
            + (try ofRedirects()) + (try ofAttempts()) + ofFiles()
    }

    private static func otherPiece() throws -> DownloadError {
        let request = DownloadRequest(URL(fileURLWithPath: "/"))
        let zeros = String(repeating: "0", count: 128)
        guard let file = Metalink.File(storedPieces: "1500 sha256 1000 \(zeros)", of: request),
            let pieces = FilePieces(file, .libcrypto)
        else { throw DownloadError(.badMetalink, "the sample has no pieces") }
        return .otherPiece(pieces, 1, at: nil)
    }

    private static func ofAttempts() throws -> [MessageSample] {
        let digests = [0, 0xFF].map { Checksum(.sha256, digest: [UInt8](repeating: $0, count: 32)) }
        return [
            .tooLarge(limit: 1000), .moreThanExpected(1000),
            .incomplete(received: 500, total: 1000, at: nil), .incomplete(received: 500, total: nil, at: nil),
            .unprovenEnd(received: 500, at: nil),
            .noResponse(at: nil), .tooManyRequests(at: nil), .changedMeanwhile, .outdated, .isGone, .nothingToRepairBy,
            .otherChecksum(found: digests[0], ExpectedChecksum(digests[1]), isGiven: true),
            .otherChecksum(found: digests[0], ExpectedChecksum(digests[1]), isGiven: false),
            try otherPiece(),
        ]
        .map(MessageSample.init)
    }
}

extension DownloadRemark {
    static let samples: [DownloadRemark] = [
        .lengthNotVerified, .contentEncoding("gzip"), .notResumable, .webPage,
        .metalinkNotUsed("It has more than 32 MiB."), .nameTaken("disk.iso"),
    ]

    var number: Int {
        switch self {
        case .lengthNotVerified: 0
        case .contentEncoding: 1
        case .notResumable: 2
        case .webPage: 3
        case .metalinkNotUsed: 4
        case .nameTaken: 5
        }
    }
}
