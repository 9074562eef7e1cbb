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
    func transportRequest(_ question: ResumeQuestion, at address: HTTPURL) -> TransportRequest {
        var request = TransportRequest(
            url: address,
            credentials: address.credentials ?? (address.isSameOrigin(as: url) ? url.credentials : nil),
            fields: fields(to: address),
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

    /// The fields that may be sent to this address: those of the request stand over those of the configuration.
    private func fields(to address: HTTPURL) -> [(name: String, value: String)] {
        // A Host that was given names the origin, and no other.
        let privateNames = configuration.privateHeaders.union(request.privateHeaders).union(["host"])
        let own = Set(request.headers.keys.map { $0.lowercased() })
        let given =
            configuration.headers.filter { !own.contains($0.key.lowercased()) }.sorted { $0.key < $1.key }
            + request.headers.sorted { $0.key < $1.key }
        var fields: [(name: String, value: String)] = []
        if !given.contains(where: { $0.key.lowercased() == "user-agent" }) {
            fields.append(("User-Agent", "Spate/\(SpateVersion.text)"))
        }
        // Ranges count the bytes that are stored; a coding would count others.
        fields.append(("Accept-Encoding", "identity"))
        for (name, value) in given
        where RedirectPolicy.travels(name, from: url, to: address, privateNames: privateNames) {
            fields.append((name, value))
        }
        return fields
    }
}
