import Foundation
import Spate

/// Something that happened to a manager while it had connections to a host with a line of some kind.
package struct Meeting: Hashable, Sendable {
    package enum Event: String, CaseIterable, Sendable {
        case pause, resume, priority, rateLimit, hostLimit, mirror, kill, powerCut, restore
        /// Its number became exact, or automatic.
        case exact, automatic
        /// Another host, or this one, has refused a request.
        case refusal
        /// A host bears no more downloads. Only an automatic number asks for that.
        case pacedHost
    }

    /// One of ``NetworkFault/ofLines``.
    package let line: NetworkFault
    package let event: Event
    /// Whether the number of its downloads was automatic.
    package let isAutomatic: Bool

    package init(line: NetworkFault, event: Event, isAutomatic: Bool) {
        (self.line, self.event, self.isAutomatic) = (line, event, isAutomatic)
    }

    /// All that worlds should meet.
    package static let all = Event.allCases.flatMap { event in
        NetworkFault.ofLines.flatMap { line in
            (event == .pacedHost ? [true] : [false, true]).map { Meeting(line: line, event: event, isAutomatic: $0) }
        }
    }
}

extension World {
    private func note(_ event: Meeting.Event, _ lines: [NetworkFault], of manager: DownloadManager?) {
        guard let manager, !lines.isEmpty else { return }
        let isAutomatic = if case .automatic = manager.concurrency { true } else { false }
        for line in lines { meetings.insert(Meeting(line: line, event: event, isAutomatic: isAutomatic)) }
    }

    /// Something happens to a manager, with what it has open.
    func noteMeeting(_ event: Meeting.Event, of session: Session) {
        let open = network.runningRequests(of: session.process.number)
        note(event, open.flatMap(\.lines), of: session.manager)
    }

    /// A request is sent.
    func noteMeetings(_ request: NetworkRequest) {
        guard !request.lines.isEmpty, let file = network.file(at: request.url),
            let session = sessions.first(where: { $0.process.number == request.process })
        else { return }
        let url = url(of: request)
        let download = url.flatMap { session.manager?[$0] }
        let isOfOtherPriority = download.map { $0.request.priority != .normal || asked.contains(ObjectIdentifier($0)) }
        let events: [(Meeting.Event, Bool)] = [
            (.priority, isOfOtherPriority ?? false),
            (.rateLimit, request.isLimited),
            (.hostLimit, traits.connectionsPerHost != nil),
            (.mirror, file.original != nil),
            (.restore, url.map { restored.contains($0) } ?? false),
        ]
        for (event, happens) in events where happens { note(event, request.lines, of: session.manager) }
    }
}
