import SpateHTTPResumption
import SpateHTTPSyntax

extension FuzzTarget {
    /// A line with the maximum number of hops, and a second number to allow https to http; a URL; the header lines with
    /// which every URL answers.
    static let redirect = FuzzTarget(name: "redirect") { bytes throws(BrokenClaim) in
        var lines = InputLines(bytes)
        let numbers = lines.nextNumbers()
        let hops = Int(clamping: min(30, max(0, numbers.first.flatMap { $0 } ?? 20)))
        let policy = RedirectRules(maximumHops: hops, allowsInsecure: numbers.count > 1)
        guard var url = try? HTTPURL(lines.nextText()) else { return }
        let head = ResponseHead(status: 302, fields: HTTPFields(lines.remaining()))
        var earlier: [HTTPURL] = []
        following: while true {
            switch policy.decide(head: head, at: url, after: earlier) {
            case .refuse(let fault):
                try require(!fault.description.utf8.contains { $0 < 0x20 || $0 == 0x7F }, "\(fault) breaks a line")
                break following
            case .follow(let target):
                try checkCanonical(target)
                try require(earlier.count < hops, "\(earlier.count) hops are followed")
                try require(target != url && !earlier.contains(target), "a loop is followed")
                if url.scheme == .https, !policy.allowsInsecure {
                    try require(target.scheme == .https, "\(url) leads to the unencrypted \(target)")
                }
                try checkWhatTravels(from: url, to: target)
                earlier.append(url)
                url = target
            }
        }
    }

    private static func checkWhatTravels(from url: HTTPURL, to target: HTTPURL) throws(BrokenClaim) {
        let isSameServer = (url.scheme, url.host, url.port) == (target.scheme, target.host, target.port)
        for name in ["Authorization", "COOKIE", "X-Mine", "Proxy-Authorization"] {
            let travels = RedirectRules.travels(name, from: url, to: target, privateNames: ["x-mine"])
            try require(travels == isSameServer, "whether \(name) is forwarded from \(url) to \(target) is wrong")
        }
    }
}
