import Dispatch
import Foundation
import HTTPResumption
import HTTPTransport
import PartialFiles

/// What an attempt works with: the request in its final form, and the manager's tools.
struct AttemptJob: Sendable {
    let url: HTTPURL
    let request: DownloadRequest
    let configuration: DownloadManager.Configuration
    let transport: any Transport
    /// Where what blocks for long runs: bringing bytes to the medium, reading a whole file.
    let disk: DispatchQueue
    let openPlace: @Sendable () throws -> OpenedPlace

    /// What stands where the file will be.
    enum OpenedPlace {
        case partial(PartialFile)
        /// The file is whole already.
        case finished(AttemptResult)
    }

    /// The request that asks this question at this address.
    func transportRequest(_ question: RangeRequest, at address: HTTPURL) -> TransportRequest {
        let isAtHome = address.isSameOrigin(as: url)
        var request = TransportRequest(
            url: address,
            credentials: address.credentials ?? (isAtHome ? url.credentials : nil),
            fields: fields(to: address, isAtHome: isAtHome),
            connectTimeout: configuration.connectTimeout,
            stallTimeout: configuration.stallTimeout,
            certificateAuthorities: configuration.certificateAuthorities?.path,
            networkInterface: configuration.networkInterface
        )
        if case .tail(let offset, let validator) = question {
            request.rangeStart = offset
            if let validator { request.fields.append(("If-Range", validator.text)) }
        }
        return request
    }

    private typealias Fields = [(name: String, value: String)]

    /// What is sent where nothing was given; most requests have nothing to add, and share it.
    private static let standardFields: Fields = [
        ("User-Agent", "Spate/\(SpateVersion.text)"),
        // Ranges count the bytes that are stored; a coding would count others.
        ("Accept-Encoding", "identity"),
    ]

    /// The fields that may be sent to this address.
    private func fields(to address: HTTPURL, isAtHome: Bool) -> Fields {
        let given = givenFields
        if given.isEmpty { return Self.standardFields }
        // What was given stands in for ours, and where it may not go nothing does.
        let standard = Self.standardFields.filter { ours in
            let name = ours.name.lowercased()
            return !given.contains { $0.name.lowercased() == name }
        }
        if isAtHome { return standard + given }
        // A Host that was given names the origin, and no other.
        let privateNames = configuration.privateHeaders.union(request.privateHeaders).union(["host"])
        return standard
            + given.filter { RedirectPolicy.travels($0.name, from: url, to: address, privateNames: privateNames) }
    }

    /// What the caller wants to be sent: the fields of the request stand over those of the configuration.
    private var givenFields: Fields {
        if configuration.headers.isEmpty, request.headers.isEmpty { return [] }
        let own = Set(request.headers.keys.map { $0.lowercased() })
        let common = configuration.headers.filter { !own.contains($0.key.lowercased()) }
        return [common, request.headers].flatMap { headers in
            headers.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
        }
    }
}
