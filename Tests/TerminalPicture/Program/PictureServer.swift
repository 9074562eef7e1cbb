import Foundation
import TestSupport

/// What is downloaded for the picture: a dozen files at different speeds, one of which is refused at first.
enum PictureServer {
    private static let files: [(name: String, bytes: Int, speed: Int)] = [
        ("release-notes.html", 61_000, 4_000_000),
        ("fonts.tar.xz", 4_870_000, 7_500_000),
        ("ubuntu-base.tar.gz", 29_900_000, 6_100_000),
        ("weather-2026.grib2", 12_400_000, 5_000_000),
        ("toolchain.tar.zst", 47_600_000, 7_200_000),
        ("openstreetmap.pbf", 33_100_000, 3_300_000),
        ("dictionary.sqlite", 8_300_000, 4_000_000),
        ("photos-may.zip", 25_000_000, 4_000_000),
        ("photos-june.zip", 27_000_000, 4_000_000),
        ("lecture-1.mp4", 38_000_000, 4_000_000),
        ("lecture-2.mp4", 36_000_000, 4_000_000),
        ("lecture-3.mp4", 35_000_000, 4_000_000),
    ]

    /// Serves them, and writes their URLs to `urls.txt` in a folder, until standard input ends.
    static func run(in folder: String) throws {
        let content = [UInt8](repeating: 0x53, count: files.map(\.bytes).max() ?? 0)
        let known = Dictionary(uniqueKeysWithValues: files.map { ("/\($0.name)", $0) })
        let server = try TestServer { request in
            guard let file = known[request.path] else { return .status(404) }
            let whole = Reply.file(TestFile(Array(content.prefix(file.bytes)), etag: "\"1\""), for: request)
                .throttled(bytesPerSecond: file.speed)
            return file.name.hasPrefix("weather") && request.visit == 1
                ? .status(503, fields: ["Retry-After": "18"]) : whole
        }
        let list = files.map { server.url("/\($0.name)").absoluteString + "\n" }.joined()
        try Data(list.utf8).write(to: URL(filePath: folder).appending(path: "urls.txt"))
        while readLine() != nil {}
        server.stop()
    }
}
