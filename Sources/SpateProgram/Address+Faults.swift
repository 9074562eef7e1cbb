import Foundation
import Spate

/// Why a text is no URL that can be fetched, and what may have been meant.
extension Address {
    /// It was found to be none before, quicker than the reason can be.
    static func fault(of text: String) -> UsageError {
        if hasControl(text) {
            return UsageError(
                .unusableURL,
                "\(quoted(text)) is not a URL: it has a line break or another control character; take it out"
            )
        }
        guard let pieces = URLPieces(text), isScheme(pieces.schemeName) else { return schemeless(text) }
        guard pieces.schemeName == "http" || pieces.schemeName == "https" else {
            return UsageError(.otherScheme, "\(quoted(text)) is not fetched: \(advice(on: pieces.schemeName))")
        }
        guard let url = URL(string: text) else {
            return UsageError(.unusableURL, "\(quoted(text)) is not a URL; check its host and port")
        }
        do throws(DownloadError) {
            try DownloadRequest(url).check()
            return UsageError(.unusableURL, "\(quoted(text)) is not fetched; check its host and port")
        } catch {
            return UsageError(.unusableURL, "\(quoted(text)) is not fetched: \(error.message)")
        }
    }

    private static func isScheme(_ text: String) -> Bool {
        guard let first = text.utf8.first, (0x61...0x7A).contains(first) else { return false }
        return text.utf8.allSatisfy { (0x61...0x7A).contains($0) || "0123456789+-.".utf8.contains($0) }
    }

    private static func advice(on scheme: String) -> String {
        let rule = "only http and https are, not \(scheme)"
        switch scheme {
        case "ftp", "ftps", "sftp", "scp": return "\(rule); use curl for it"
        case "magnet": return "\(rule); use aria2c for it"
        case "file": return "\(rule); it is on this machine already, copy it with cp"
        default:
            let meant = Suggestion.nearest(to: scheme, among: ["https", "http"])
            return meant.map { "\(rule); did you mean \($0)?" } ?? "\(rule); look for such a URL of it"
        }
    }

    private static func schemeless(_ text: String) -> UsageError {
        if text.lowercased().hasPrefix("magnet:") {
            return UsageError(.otherScheme, "\(quoted(text)) is not fetched: \(advice(on: "magnet"))")
        }
        let mayBeShown = !text.contains { $0 == "@" || $0 == " " }
        if mayBeShown, let mended = mended(text) ?? hosted(text) {
            return UsageError(.missingScheme, "\(quoted(text)) is not a URL; did you mean \(mended)?")
        }
        return UsageError(.missingScheme, "\(quoted(text)) is not a URL: it must begin with https:// or http://")
    }

    /// `http:/host/a` and `https//host/a` as they should be.
    private static func mended(_ text: String) -> String? {
        for scheme in ["https", "http"] where text.lowercased().hasPrefix(scheme) {
            let rest = text.dropFirst(scheme.count)
            let address = rest.drop { ":/".contains($0) }
            if rest.first.map({ ":/".contains($0) }) == true, !address.isEmpty { return "\(scheme)://\(address)" }
        }
        return nil
    }

    /// What begins like a host, with a scheme: the secure one, but for this very machine.
    private static func hosted(_ text: String) -> String? {
        let address = text.hasPrefix("//") ? text.dropFirst(2) : text[...]
        let host = address.prefix { $0 != "/" && $0 != ":" }
        if host == "localhost" || host.hasPrefix("127.") { return "http://\(address)" }
        let isName = host.contains(".") && !host.hasPrefix(".") && !host.hasSuffix(".")
        return isName ? "https://\(address)" : nil
    }
}
