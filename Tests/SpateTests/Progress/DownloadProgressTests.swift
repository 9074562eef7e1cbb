import Spate
import Testing

@Suite struct DownloadProgressTests {
    @Test(
        "The description is what people read",
        arguments: [
            (12_300_000, 40_000_000, 3_200_000, "12.3 MB of 40 MB, 3.2 MB/s, 9 s left"),
            (0, nil, 0, "0 B"),
            (0, 40_000_000, 0, "0 B of 40 MB"),
            (12_300_000, nil, 3_200_000, "12.3 MB, 3.2 MB/s"),
            (40_000_000, 40_000_000, 3_200_000, "40 MB, 3.2 MB/s"),
            (40_000_000, 40_000_000, 0, "40 MB"),
            (0, 0, 0, "0 B"),
            (1, 1_000_000_000_000, 1_000_000, "1 B of 1 TB, 1 MB/s, 11 d 13 h left"),
            (.max - 1, .max, 1e300, "9.2 EB of 9.2 EB, 1 EB/s"),
            (5, 10, .infinity, "5 B of 10 B, 1 EB/s"),
            (5, 10, .nan, "5 B of 10 B"),
            (5, 10, -3, "5 B of 10 B"),
        ] as [(Int64, Int64?, Double, String)]
    )
    func description(received: Int64, total: Int64?, speed: Double, text: String) {
        let progress = DownloadProgress(receivedBytes: received, totalBytes: total, bytesPerSecond: speed)
        #expect(progress.description == text)
    }

    @Test(
        "The fraction goes from 0 to 1, and is 1 for an empty file",
        arguments: [(0, 10, 0), (5, 10, 0.5), (10, 10, 1), (11, 10, 1), (0, 0, 1), (5, nil, nil), (.max, .max, 1)]
            as [(Int64, Int64?, Double?)]
    )
    func fraction(received: Int64, total: Int64?, fraction: Double?) {
        #expect(DownloadProgress(receivedBytes: received, totalBytes: total).fractionCompleted == fraction)
    }

    @Test(
        "The time left needs a size and a speed, and never overflows",
        arguments: [
            (0, 100, 10, .seconds(10)),
            (100, 100, 0, .zero),
            (101, 100, 0, .zero),
            (0, 100, 0, nil),
            (0, nil, 10, nil),
            (0, 100, -1, nil),
            (0, 100, .nan, nil),
            (0, .max, .leastNonzeroMagnitude, .seconds(3_155_760_000)),
            (0, .max, 1, .seconds(3_155_760_000)),
            (.min, .max, 1, .seconds(3_155_760_000)),
        ] as [(Int64, Int64?, Double, Duration?)]
    )
    func timeRemaining(received: Int64, total: Int64?, speed: Double, time: Duration?) {
        let progress = DownloadProgress(receivedBytes: received, totalBytes: total, bytesPerSecond: speed)
        #expect(progress.timeRemaining == time)
    }

    @Test(
        "All together is read like one",
        arguments: [
            (DownloadManagerProgress(totalBytes: 0), "0 of 0 files, 0 B"),
            (DownloadManagerProgress(totalCount: 1, receivedBytes: 5), "0 of 1 file, 5 B"),
            (
                DownloadManagerProgress(
                    finishedCount: 3,
                    failedCount: 1,
                    totalCount: 10,
                    receivedBytes: 12_300_000,
                    totalBytes: 40_000_000,
                    bytesPerSecond: 3_200_000,
                    timeRemaining: .seconds(8.7)
                ), "3 of 10 files, 12.3 MB of 40 MB, 3.2 MB/s, 9 s left, 1 failed"
            ),
        ]
    )
    func descriptionOfAll(progress: DownloadManagerProgress, text: String) {
        #expect(progress.description == text)
    }
}
