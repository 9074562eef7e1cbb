import Foundation
import Glibc
import Spate

/// What is for one host alone, and must be nowhere else.
extension World {
    /// What requests for a URL send as `Authorization`; `nil` if nothing.
    func secret(of url: URL) -> String? {
        guard let index = urls.firstIndex(of: url) else { return nil }
        if documentURLs.contains(url) { return "secret\(index)-of-another-server" }
        return traits.hasSecrets && index.isMultiple(of: 2) ? "secret\(index)-of-a-user" : nil
    }

    /// Adds what a user gives with a URL of a document, also when it comes back from a queue or is asked for anew.
    func addSecretOfDocument(to request: inout DownloadRequest) {
        guard documentURLs.contains(request.url), let secret = secret(of: request.url) else { return }
        request.headers["Authorization"] = "Bearer \(secret)"
    }

    /// What a prepared request for a URL sends.
    func ticket(of url: URL) -> String { "ticket-of-\(url.lastPathComponent)" }

    private func cookieValue(_ host: SimulatedHost) -> String { "cookie-of-\(host.name)" }

    var cookies: [DownloadCookie] {
        if !traits.hasCookies { return [] }
        return network.hosts.enumerated().map { index, host in
            DownloadCookie("session", cookieValue(host), domain: host.name, isSecure: index == 1)
        }
    }

    func guardSecrets() {
        for url in urls {
            guard let file = network.file(at: url.absoluteString) else { continue }
            if let secret = secret(of: url) {
                network.guardSecret(secret, for: documentURLs.contains(url) ? [] : [file.host.origin])
            }
            network.guardSecret(ticket(of: url), for: [file.host.origin])
        }
        for (index, host) in network.hosts.enumerated() {
            let schemes = index == 1 ? ["https"] : ["https", "http"]
            network.guardSecret(cookieValue(host), for: schemes.map { "\($0)://\(host.name)" })
        }
    }

    /// The note that a document chose the URL may be gone from a sidecar. Then its own host may get the secret.
    func forgetWhatDocumentsChose() {
        for url in documentURLs {
            guard let secret = secret(of: url), let file = network.file(at: url.absoluteString) else { continue }
            network.guardSecret(secret, for: [file.host.origin])
        }
    }

    func checkSecrets() {
        for leak in network.leaks { fail("request \(leak.request) had a secret in \(leak.field)") }
        let tickets = traits.prepares ? urls.map(ticket) : []
        let secrets = (urls.compactMap(secret) + tickets + cookies.map(\.value)).map { Array($0.utf8) }
        if secrets.isEmpty { return }
        for path in disk.files(below: Self.top) {
            // Short ones: journals and sidecars.
            let isShort = disk.file(path).map { $0.size < 100_000 } ?? false
            let content = isShort ? disk.content(of: path) ?? [] : []
            let texts = [content] + (disk.attributes(of: path) ?? [:]).values.map { Array($0.utf8) }
            if texts.contains(where: { text in secrets.contains(where: text.holds) }) { fail("a secret is at \(path)") }
        }
    }
}

extension [UInt8] {
    /// Whether these bytes are in it, one after the other.
    func holds(_ bytes: [UInt8]) -> Bool {
        withUnsafeBytes { all in
            guard let first = bytes.first, var next = all.baseAddress else { return false }
            let end = next + all.count
            while let found = memchr(next, CInt(first), end - next), end - UnsafeRawPointer(found) >= bytes.count {
                if memcmp(found, bytes, bytes.count) == 0 { return true }
                next = UnsafeRawPointer(found) + 1
            }
            return false
        }
    }
}
