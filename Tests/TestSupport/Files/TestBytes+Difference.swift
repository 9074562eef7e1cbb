package import Foundation

extension TestBytes {
    /// Says where two contents differ first; `nil` when they are the same.
    ///
    /// For large contents, in place of `==`: an expectation that fails with `==` looks for the smallest difference
    /// between the two, which takes minutes for a megabyte.
    package static func difference(_ found: some ContiguousBytes, from wanted: some ContiguousBytes) -> String? {
        found.withUnsafeBytes { found in
            wanted.withUnsafeBytes { wanted in
                let common = min(found.count, wanted.count)
                let lengths =
                    found.count == wanted.count ? "" : ", with \(found.count) bytes in place of \(wanted.count)"
                guard let place = firstDifference(found, wanted, upTo: common) else {
                    return lengths.isEmpty ? nil : "the same up to byte \(common)" + lengths
                }
                return "different from byte \(place) on (\(found[place]) in place of \(wanted[place]))" + lengths
            }
        }
    }

    private static func firstDifference(
        _ first: UnsafeRawBufferPointer,
        _ second: UnsafeRawBufferPointer,
        upTo end: Int
    ) -> Int? {
        guard let firstStart = first.baseAddress, let secondStart = second.baseAddress else { return nil }
        for start in stride(from: 0, to: end, by: 4_096) {
            let length = min(4_096, end - start)
            if memcmp(firstStart + start, secondStart + start, length) != 0 {
                return (start..<(start + length)).first { first[$0] != second[$0] }
            }
        }
        return nil
    }
}
