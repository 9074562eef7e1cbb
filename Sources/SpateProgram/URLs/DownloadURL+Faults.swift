import Foundation
import Spate
import SpateConsole

/// Explains why a text is not a URL that can be fetched, and suggests a correction.
extension DownloadURL {
    /// - Parameter text: a text that `DownloadURL.init` rejects.
    static func fault(of text: String) -> UsageError {
        let (kind, fault) = kindAndFault(of: text)
        return UsageError(kind, "\(PlainText.quoted(text)) \(fault)")
    }

    private static func kindAndFault(of text: String) -> (UsageError.Kind, String) {
        if hasControl(text) {
            return (.unusableURL, "is not a URL: it contains a line break or another control character; remove it")
        }
        guard let parts = URLParts(text), isScheme(parts.schemeName) else { return schemeless(text) }
        guard parts.schemeName == "http" || parts.schemeName == "https" else {
            return (.otherScheme, "can't be fetched: \(advice(on: parts.schemeName))")
        }
        guard let url = URL(string: text) else { return (.unusableURL, "is not a URL; check its host and port") }
        do throws(DownloadError) {
            try DownloadRequest(url).check()
            return (.unusableURL, "can't be fetched; check its host and port")
        } catch {
            return (.unusableURL, "can't be fetched: \(error.message)")
        }
    }

    private static func isScheme(_ text: String) -> Bool {
        guard let first = text.utf8.first, (0x61...0x7A).contains(first) else { return false }
        return text.utf8.allSatisfy { (0x61...0x7A).contains($0) || "0123456789+-.".utf8.contains($0) }
    }

    private static func advice(on scheme: String) -> String {
        let rule = "only http and https are supported, not \(scheme)"
        switch scheme {
        case "ftp", "ftps", "sftp", "scp": return "\(rule); use curl instead"
        case "magnet": return "\(rule); use aria2c instead"
        case "file": return "\(rule); the file is on this machine, copy it with cp"
        default:
            let meant = Suggestion.nearest(to: scheme, among: ["https", "http"])
            return meant.map { "\(rule); did you mean \($0)?" } ?? "\(rule); look for an http or https URL of the file"
        }
    }

    private static func schemeless(_ text: String) -> (UsageError.Kind, String) {
        if text.lowercased().hasPrefix("magnet:") {
            return (.otherScheme, "can't be fetched: \(advice(on: "magnet"))")
        }
        if text.lowercased().hasSuffix(".torrent") {
            return (.otherScheme, "can't be fetched: BitTorrent is not supported; use aria2c instead")
        }
        let mayBeShown = !text.contains { $0 == "@" || $0 == " " }
        if mayBeShown, let corrected = corrected(text) ?? hosted(text) {
            return (.missingScheme, "is not a URL; did you mean \(corrected)?")
        }
        return (.missingScheme, "is not a URL: it must start with https:// or http://")
    }

    /// Corrects `http:/host/a` and `https//host/a`.
    private static func corrected(_ text: String) -> String? {
        for scheme in ["https", "http"] where text.lowercased().hasPrefix(scheme) {
            let rest = text.dropFirst(scheme.count)
            let address = rest.drop { ":/".contains($0) }
            if rest.first.map({ ":/".contains($0) }) == true, !address.isEmpty { return "\(scheme)://\(address)" }
        }
        return nil
    }

    /// Adds a scheme to a text that begins with a host: https, or http for this machine.
    private static func hosted(_ text: String) -> String? {
        let address = text.hasPrefix("//") ? text.dropFirst(2) : text[...]
        let host = address.prefix { $0 != "/" && $0 != ":" }
        if host == "localhost" || host.hasPrefix("127.") { return "http://\(address)" }
        let isName = host.contains(".") && !host.hasPrefix(".") && !host.hasSuffix(".")
        return isName ? "https://\(address)" : nil
    }
}
