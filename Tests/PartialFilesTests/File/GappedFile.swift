import SpateHTTPResumption
import SpatePartialFiles
import SpateTestSupport
import Testing

/// A file of 20 bytes that has the first four, and may have gaps.
enum GappedFile {
    static let name = "x.zip.part"
    static let whole = "abcdefghijklmnopqrst"
    static let boot = "11111111-2222-3333-4444-555555555555"
    static let otherBoot = "99999999-2222-3333-4444-555555555555"

    static func made(in directory: DownloadDirectory) throws -> PartialFile {
        let file = try directory.partial()
        try file.begin(total: 20, validator: .etag("\"v1\""), encoding: nil)
        try file.append("abcd")
        #expect(try file.allowGaps())
        return file
    }

    static func held(_ length: Int64, gapEnd: Int64?) -> HeldBytes {
        HeldBytes(length: length, gapEnd: gapEnd, total: 20, validator: .etag("\"v1\""))
    }
}
