import Foundation
import SpateHTTPResumption
import SpateHTTPSyntax
import SpateHTTPTransport
import SpateTiming

/// The HTTP requests of one download. Shared by the connections of its attempt.
final class FetchRequest: Sendable {
    /// The origin that the sender's headers, credentials and certificate are for.
    private let owner: HTTPURL
    private let sender: RequestSender
    private let manager: DownloadManager
    private let rate: RateShare?

    private var configuration: DownloadManager.Configuration { manager.configuration }

    /// - Parameter prepared: sent in place of the enqueued URL and headers.
    init(_ attempt: Attempt, _ prepared: PreparedRequest?) {
        if let prepared {
            (owner, sender) = (prepared.url, prepared.sender)
        } else {
            owner = attempt.request.url
            sender = attempt.download.sender(of: attempt.request)
        }
        manager = attempt.manager
        rate = attempt.rate
    }

    /// The request for a range of a URL.
    ///
    /// - Parameters:
    ///   - end: where the range ends; `nil` for the end of the file.
    ///   - address: the address of the host to connect to; `nil` to let libcurl choose one.
    func transportRequest(
        for range: RangeRequest,
        until end: Int64?,
        at url: HTTPURL,
        connectingTo address: String? = nil,
        onItsOwnConnection: Bool = false,
        overHTTP1: Bool = false
    ) -> TransportRequest {
        let isOrigin = isOwner(url)
        var (fields, start) = (fields(to: url, isOrigin: isOrigin), Int64?.none)
        switch range {
        case .whole: break
        case .wholeUnless(let finished):
            // The caller's condition would be about another file.
            let names = ["if-none-match", "if-modified-since"]
            fields.removeAll { names.contains($0.name.lowercased()) }
            switch finished.condition {
            case .entityTag(let tag): fields.append(("If-None-Match", tag))
            case .date(let date): fields.append(("If-Modified-Since", date))
            }
        case .tail(let offset, let validator):
            start = offset
            if let validator { fields.append(("If-Range", validator.text)) }
        }
        return TransportRequest(
            url: url,
            credentials: url.credentials ?? (isOrigin ? sender.credentials : nil),
            fields: fields,
            rangeStart: start,
            rangeEnd: start == nil ? nil : end,
            hasOwnConnection: onItsOwnConnection,
            needsHTTP1: overHTTP1,
            isOneOfMany: manager.feed.isCrowded,
            closesIdleConnections: manager.feed.wasLowered,
            rate: rate,
            arrivals: manager.feed.pacer.arrivals(from: url.origin, in: manager.feed),
            address: address,
            settings: isOrigin ? ownSettings : commonSettings
        )
    }

    /// Whether what is meant for one origin may be sent to this address.
    private func isOwner(_ address: HTTPURL) -> Bool { address.origin == owner.origin }

    private var commonSettings: TransportSettings { manager.validConfiguration.transport }

    private var ownSettings: TransportSettings { certificate.map { commonSettings.showing($0) } ?? commonSettings }

    private var certificate: CertificateFiles? { sender.certificate.map { CertificateFiles($0) } }

    /// The certificate that a request to this mirror, or to the URL if there is none, shows; `nil` if it shows none.
    func certificate(forMirror mirror: HTTPURL?) -> CertificateFiles? {
        certificate.flatMap { isOwner(mirror ?? owner) ? $0 : nil }
    }

    private typealias Fields = [(name: String, value: String)]

    /// The default fields. Most callers override none and share this array.
    private static let standardFields: Fields = [
        ("User-Agent", "Spate/\(LibraryVersion.text)"),
        // Ranges count stored bytes; with a content coding they would count others.
        ("Accept-Encoding", "identity"),
        StatedDigest.wanted,
    ]

    private func fields(to address: HTTPURL, isOrigin: Bool) -> Fields {
        let given = givenFields
        // Chosen for each address. Cookies know where they may go.
        let hasCookie = given.contains { $0.name.lowercased() == "cookie" }
        let cookies =
            hasCookie
            ? nil : manager.validConfiguration.cookies.header(for: address, at: manager.surroundings.runtime.date)
        if given.isEmpty, cookies == nil { return Self.standardFields }
        // The caller's field replaces the standard one, even if the caller's may not be sent here.
        let standard = Self.standardFields.filter { ours in
            let name = ours.name.lowercased()
            return !given.contains { $0.name.lowercased() == name }
        }
        let common = standard + (cookies.map { [("Cookie", $0)] } ?? [])
        if isOrigin { return common + given }
        // The caller's Host names the origin, not other servers.
        let privateNames = configuration.privateHeaders.union(sender.privateHeaders).union(["host"])
        return common
            + given.filter { RedirectRules.travels($0.name, from: owner, to: address, privateNames: privateNames) }
    }

    /// The caller's fields. The request's replace the configuration's.
    private var givenFields: Fields {
        let all = configuration.headers
        if all.isEmpty, sender.headers.isEmpty { return [] }
        let own = Set(sender.headers.keys.map { $0.lowercased() })
        let common = (sender.isForDocument ? RequestSender.sentToDocuments(all) : all)
            .filter { !own.contains($0.key.lowercased()) }
        return [common, sender.headers].flatMap { headers in
            headers.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
        }
    }
}

extension ResponseLimits {
    /// - Parameter originTotal: the size of the origin's file, for a request to another source.
    init(_ download: Download, originTotal: Int64?) {
        let wanted = download.wanted
        self.init(
            expectedBytes: wanted.expectedBytes,
            maximumBytes: wanted.maximumBytes,
            originTotal: originTotal,
            hasProof: wanted.isProvable,
            // Its request is large, and would be copied as a whole.
            acceptsPages: download.enqueuedRequest.replacesExistingFile
        )
    }
}
