public import Foundation
import SpateHTTPSyntax
import SpatePartialFiles

/// One part of a list of URLs that many machines download together, such as part 3 of 64.
///
/// Each URL belongs to exactly one part, and its place in the list does not matter. So the machines need no contact: each
/// reads the whole list and downloads the URLs of its own part.
///
///     let mine = urls.filter { shard.contains($0) }
///
/// The parts are the same in every version of Spate, and about equally long.
public struct DownloadShard: Sendable, Hashable {
    /// The number of this part, from 1.
    public let number: Int
    /// How many parts there are.
    public let count: Int

    /// Creates part `number` of `count`; `nil` unless `number` is from 1 to `count`.
    public init?(_ number: Int, of count: Int) {
        guard number >= 1, number <= count, count <= UInt32.max else { return nil }
        (self.number, self.count) = (number, count)
    }

    /// Creates a part from its text form, such as "3/64"; `nil` for any other text.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let number = Int(parts[0]), let count = Int(parts[1])
        else { return nil }
        self.init(number, of: count)
    }

    /// Whether a URL belongs to this part.
    ///
    /// URLs that name the same resource belong to the same part; see ``DownloadRequest/normalizedURL``. A URL that cannot
    /// be downloaded belongs to one part as well, so that exactly one machine reports it.
    public func contains(_ url: URL) -> Bool {
        var hash = ((try? HTTPURL(url.absoluteString)).map { URLHash($0) } ?? URLHash(text: url.absoluteString)).value
        // The last steps of MurmurHash3: without them the high bits of FNV-1a are uneven for similar URLs.
        hash = (hash ^ (hash >> 33)) &* 0xff51_afd7_ed55_8ccd
        hash = (hash ^ (hash >> 33)) &* 0xc4ce_b9fe_1a85_ec53
        hash ^= hash >> 33
        return ((hash >> 32) * UInt64(count)) >> 32 == UInt64(number - 1)
    }
}

extension DownloadShard: CustomStringConvertible {
    /// The text form, such as "3/64".
    public var description: String { "\(number)/\(count)" }
}
