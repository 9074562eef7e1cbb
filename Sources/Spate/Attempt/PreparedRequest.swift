import Foundation
import HTTPSyntax

/// What an attempt sends in place of what was enqueued: the URL and the headers that the program prepared. It is neither
/// stored nor shown.
struct PreparedRequest: Sendable {
    let url: HTTPURL
    let sender: RequestSender

    /// - Parameters:
    ///   - prepared: what the program returned.
    ///   - enqueued: what it was given, of which this is the URL.
    init(_ prepared: DownloadRequest, for enqueued: DownloadRequest, _ enqueuedURL: HTTPURL) throws(DownloadError) {
        do throws(HTTPURLError) {
            url = try HTTPURL(prepared.url.absoluteString)
        } catch {
            throw DownloadError(preparing: enqueuedURL, returned: error)
        }
        do throws(DownloadError) {
            try ValidRequest.check(headers: prepared.headers)
        } catch {
            throw DownloadError(preparing: enqueuedURL, returnedHeaders: error)
        }
        var sender = RequestSender(prepared, url)
        // What was private stays so, and what is new is private.
        sender.privateHeaders.formUnion(enqueued.privateHeaders)
        for (name, value) in prepared.headers {
            let isEnqueued = enqueued.headers.contains { $0.value == value && $0.key.lowercased() == name.lowercased() }
            if !isEnqueued { sender.privateHeaders.insert(name) }
        }
        self.sender = sender
    }
}
