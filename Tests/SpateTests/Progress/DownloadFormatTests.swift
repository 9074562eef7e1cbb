import Testing

@testable import Spate

@Suite struct DownloadFormatTests {
    @Test(
        "Sizes have at most one decimal, and the unit that rounding gives",
        arguments: [
            (0, "0 B"), (1, "1 B"), (999, "999 B"), (1_000, "1 kB"), (1_049, "1 kB"), (1_050, "1.1 kB"),
            (1_949, "1.9 kB"), (1_951, "2 kB"), (12_300_000, "12.3 MB"), (40_000_000, "40 MB"),
            (999_949, "999.9 kB"), (999_950, "1 MB"), (999_999, "1 MB"), (1_000_000, "1 MB"),
            (999_949_999, "999.9 MB"), (999_950_000, "1 GB"), (999_950_000_000, "1 TB"),
            (999_950_000_000_000, "1 PB"), (999_949_000_000_000_000, "999.9 PB"), (999_950_000_000_000_000, "1 EB"),
            (.max, "9.2 EB"), (-1, "0 B"), (.min, "0 B"),
        ] as [(Int64, String)]
    )
    func size(bytes: Int64, text: String) {
        #expect(DownloadFormat.size(bytes) == text)
    }

    @Test(
        "A speed is a size per second, for any number",
        arguments: [
            (0, "0 B/s"), (0.4, "0 B/s"), (0.5, "1 B/s"), (999.4, "999 B/s"), (999.5, "1 kB/s"),
            (3_200_000, "3.2 MB/s"),
            (-1, "0 B/s"), (.infinity, "1 EB/s"), (-.infinity, "0 B/s"), (1e300, "1 EB/s"), (.nan, "0 B/s"),
        ] as [(Double, String)]
    )
    func speed(bytesPerSecond: Double, text: String) {
        #expect(DownloadFormat.speed(bytesPerSecond) == text)
    }

    @Test(
        "Times have at most two units, and seconds are rounded up",
        arguments: [
            (.zero, "0 s"), (.nanoseconds(1), "1 s"), (.milliseconds(8_656), "9 s"), (.seconds(59), "59 s"),
            (.milliseconds(59_001), "1 min"), (.seconds(60), "1 min"), (.seconds(200), "3 min 20 s"),
            (.seconds(3_599), "59 min 59 s"), (.milliseconds(3_599_500), "1 h"), (.seconds(7_500), "2 h 5 min"),
            (.seconds(86_399), "23 h 59 min"), (.seconds(86_400), "1 d"), (.seconds(356_400), "4 d 3 h"),
            (.seconds(-5), "0 s"), (.milliseconds(-500), "0 s"), (.seconds(Int64.max), "106751991167300 d 15 h"),
        ] as [(Duration, String)]
    )
    func time(duration: Duration, text: String) {
        #expect(DownloadFormat.time(duration) == text)
    }

    @Test(
        "An amount names the total if more is to come",
        arguments: [
            (12_300_000, 40_000_000, "12.3 MB of 40 MB"), (40_000_000, 40_000_000, "40 MB"), (5, nil, "5 B"),
            (0, 0, "0 B"), (0, 1, "0 B of 1 B"),
        ] as [(Int64, Int64?, String)]
    )
    func amount(bytes: Int64, total: Int64?, text: String) {
        #expect(DownloadFormat.amount(bytes, of: total) == text)
    }

    @Test(
        "An elapsed time has tenths below ten seconds, rounded up",
        arguments: [
            (.zero, "0 s"), (.nanoseconds(1), "0.1 s"), (.milliseconds(400), "0.4 s"), (.milliseconds(401), "0.5 s"),
            (.seconds(1), "1 s"), (.milliseconds(9_900), "9.9 s"), (.milliseconds(9_901), "10 s"),
            (.milliseconds(11_001), "12 s"), (.seconds(200), "3 min 20 s"), (.seconds(-1), "0 s"),
            (.seconds(Int64.max) + .milliseconds(1), "106751991167300 d 15 h"),
        ] as [(Duration, String)]
    )
    func elapsed(duration: Duration, text: String) {
        #expect(DownloadFormat.elapsed(duration) == text)
    }
}
