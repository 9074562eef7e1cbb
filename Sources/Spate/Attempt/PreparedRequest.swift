import Foundation
import SpateHTTPSyntax

/// The URL and headers that the program prepared, to send in place of the enqueued ones. Neither stored nor shown.
struct PreparedRequest: Sendable {
    let url: HTTPURL
    let sender: RequestSender

    /// - Parameters:
    ///   - prepared: the program's request.
    ///   - enqueued: the enqueued request. `enqueuedURL` is its URL.
    init(_ prepared: DownloadRequest, for enqueued: DownloadRequest, _ enqueuedURL: HTTPURL) throws(DownloadError) {
        do throws(HTTPURLError) {
            url = try HTTPURL(prepared.url.absoluteString)
        } catch {
            throw DownloadError(preparingReturned: error)
        }
        do throws(DownloadError) {
            try ValidRequest.check(headers: prepared.headers)
        } catch {
            throw DownloadError(preparingReturnedHeaders: error)
        }
        var sender = RequestSender(prepared, url)
        // A program that answers another host has chosen it.
        sender.isForDocument = prepared.isChosenByDocument && url.origin == enqueuedURL.origin
        sender.headers = prepared.headers
        // Private headers stay private, and new headers are private.
        sender.privateHeaders.formUnion(enqueued.privateHeaders)
        for (name, value) in prepared.headers {
            let isEnqueued = enqueued.headers.contains { $0.value == value && $0.key.lowercased() == name.lowercased() }
            if !isEnqueued { sender.privateHeaders.insert(name) }
            let isMeant = !sender.isForDocument || DownloadRequest.headersForDocuments.contains(name.lowercased())
            if isEnqueued, !isMeant { sender.headers[name] = nil }
        }
        // It was given for the enqueued URL.
        sender.certificate =
            url.origin == enqueuedURL.origin ? RequestSender(enqueued, enqueuedURL).certificate : nil
        self.sender = sender
    }
}
