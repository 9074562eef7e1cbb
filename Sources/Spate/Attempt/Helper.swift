import Foundation
import HTTPResumption
import HTTPTransport
import Locking
import PartialFiles
import Timing

/// Fetches one part of a file beside its first connection. It writes only what is proven to belong there, and gives up
/// rather than ask twice: whatever it does not bring, another will.
final class Helper: TransportSink {
    enum End {
        /// It brought all that the server sent of its part.
        case complete
        /// The connection was cut or stalled, in the body.
        case cut(Fetch.Failure)
        /// There was no response, or it was of no use.
        case refused(SegmentPlan.End)
        /// The server has enough connections, and may ask to wait.
        case busy(Duration)
        /// Its bytes are not those of the part in front, or behind.
        case differs
        /// The file cannot be written.
        case disk(Fetch.Failure)
    }

    private enum Next {
        case nothing
        case write(BodyWriter)
        case send
        case end(End)
    }

    private struct State {
        var route: RequestRoute
        var next = Next.nothing
        var isOriginAsked: Bool

        /// Writes bytes of the body. Whether more are wanted; nil if nothing could be written.
        mutating func write(_ bytes: UnsafeRawBufferPointer) -> (BodyWriter, goesOn: Bool)? {
            guard case .write(var writer) = next else { return nil }
            do throws(BodyWriter.Fault) {
                try writer.write(bytes)
                next = .write(writer)
                return (writer, true)
            } catch {
                next = .write(writer)
                switch error {
                // The body is longer than its part, which is complete.
                case .surplus: return (writer, false)
                case .disk(let error): next = .end(.disk(Fetch.Failure(DownloadError(writing: error))))
                case .differs: next = .end(.differs)
                case .tooLarge, .moreThanExpected: next = .end(.refused(.failed))
                }
                return nil
            }
        }
    }

    let id: Int
    private let range: Range<Int64>
    private let held: HeldBytes
    private let file: PartialFile
    private let attempt: Attempt
    private let group: ConnectionGroup
    private let state: Locked<State>

    init(_ id: Int, for range: Range<Int64>, of divisible: DivisibleFile, _ file: PartialFile, group: ConnectionGroup) {
        self.id = id
        self.range = range
        self.file = file
        self.group = group
        held = divisible.held
        attempt = group.attempt
        var route = divisible.route
        route.beginRequest()
        state = Locked(State(route: route, isOriginAsked: route.hop == 0))
    }

    /// Sends the request; false if the attempt has ended, or may send no more.
    func send() -> Bool {
        let request = state.withLock { state -> TransportRequest? in
            state.next = .nothing
            guard state.route.isRedirect || attempt.takeRequest(for: file), attempt.mayAsk(state.route.address.origin)
            else { return nil }
            return group.requests.transportRequest(
                for: .tail(from: PartDecision.start(of: range), ifRange: held.validator?.strong),
                until: range.upperBound,
                at: state.route.address,
                onItsOwnConnection: true
            )
        }
        guard let request else { return false }
        return attempt.start(request, for: self, id)
    }

    func receive(head: ResponseHead) -> BodyDisposition {
        state.withLock { state in
            state.next = next(head, &state)
            if case .write = state.next { return .deliver }
            if case .end(.busy(let wait)) = state.next { group.isBusy(for: wait) }
            return head.status == 206 || head.status == 200 ? .stop : .discard
        }
    }

    private func next(_ head: ResponseHead, _ state: inout State) -> Next {
        let request = attempt.download.enqueuedRequest
        if RedirectPolicy.isRedirect(head.status) {
            do throws(DownloadError) {
                try state.route.follow(head, allowsInsecure: request.allowsInsecureRedirects)
                return .send
            } catch {
                return .end(.refused(.failed))
            }
        }
        let decision = PartDecision.decide(
            range: range,
            held: held,
            head: head,
            limits: ResponseLimits(request),
            isRedirected: state.route.hop > 0 && !state.isOriginAsked,
            now: attempt.runtime.wallClock().components.seconds
        )
        switch decision {
        case .write(let body): return .write(BodyWriter(body, file: file, maximumBytes: request.maximumBytes))
        case .askOrigin:
            state.isOriginAsked = true
            state.route.returnToOrigin()
            return .send
        case .busy(let wait): return .end(.busy(.seconds(wait ?? 0)))
        case .fail: return .end(.refused(.failed))
        case .giveUp: return .end(.refused(.useless))
        }
    }

    func receive(bytes: UnsafeRawBufferPointer, isLast: Bool) -> Bool {
        guard let (writer, goesOn) = state.withLock({ $0.write(bytes) }) else { return false }
        attempt.wrote(bytes.count, to: file)
        return group.wrote(id, through: writer.position) && goesOn || goesOn && writer.isWhole
    }

    func end(_ end: TransferEnd) {
        attempt.transferEnded(id)
        let (next, route) = state.withLock { ($0.next, $0.route) }
        switch next {
        case .send: group.sendAgain(self)
        case .end(let end): group.ended(id, end)
        case .write(let writer) where writer.isWhole:
            // A server that sends little of what it is asked for would be asked without end.
            let isTooLittle =
                writer.position < range.upperBound
                && writer.position - range.lowerBound < SegmentPlan.leastSize
            group.ended(id, isTooLittle ? .refused(.useless) : .complete)
        case .write:
            guard case .failed(let error) = end else {
                return group.ended(id, .cut(Fetch.Failure(.noResponse(from: route.shown, at: route.address))))
            }
            group.ended(id, .cut(Fetch.Failure(DownloadError(error, url: route.shown, at: route.address))))
        // No answer, or none that can be read.
        case .nothing: group.ended(id, .refused(.failed))
        }
    }
}
