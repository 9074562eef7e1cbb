import SpateHTTPSyntax
package import SpateHTTPTransport
import SpateTestSupport

/// Hosts with files, in virtual time, and what all processes of a world ask of them.
package final class SimulatedNetwork: @unchecked Sendable {
    package let timeline: Timeline
    /// Faults that do not happen in this world. Everything else is as with them.
    package let forbidden: Set<NetworkFault>
    package private(set) var hosts: [SimulatedHost] = []
    /// Files that somebody may ask for. Mirrors that only responses name are not among them.
    package private(set) var files: [SimulatedFile] = []
    package private(set) var requests: [NetworkRequest] = []
    package private(set) var refusals: [NetworkRefusal] = []
    package private(set) var leaks: [CredentialLeak] = []
    package private(set) var isHealed = false

    private var random: SeededRandom
    private var places: [String: Place] = [:]
    private var mirrors: [SimulatedFile] = []
    /// By the URLs of their Metalinks.
    private var metalinks: [String: SimulatedFile] = [:]
    /// By their number.
    private var running: [Int: SimulatedTransfer] = [:]
    private var counts: [NetworkFault: Int] = [:]
    private var secrets: [(text: String, bytes: [UInt8], origins: [String])] = []
    private var quiet: [Listener: (until: Duration, cause: Int)] = [:]
    private let emptyPage: SimulatedContent
    /// What the line of the machine carries. See ``NetworkFault/commonLine``.
    private let commonRate: Int

    /// A process, and an origin that it heard of.
    private struct Listener: Hashable {
        let process: Int32
        let origin: String
    }

    private struct Place {
        let file: SimulatedFile
        /// Whether redirects lead here.
        let isTarget: Bool
    }

    package init(on timeline: Timeline, forbidden: Set<NetworkFault> = NetworkFault.dishonest) {
        self.timeline = timeline
        self.forbidden = forbidden
        random = SeededRandom(seed: timeline.random.next())
        commonRate = random.pick([100_000, 400_000, 1_500_000, 6_000_000])
        emptyPage = SimulatedContent(seed: 404, count: 300, label: "not found")
    }

    package func transport(for process: SimulatedProcess) -> any Transport {
        SimulatedTransport(network: self, process: process)
    }

    // MARK: Making the world

    /// Adds hosts and files by chance: half of them without a fault.
    ///
    /// - Parameters:
    ///   - sizes: with large files, hosts mind how many connections there are.
    ///   - hasLines: whether all hosts are on lines that mind it, too.
    ///   - horizon: until when files change.
    package func populate(
        files count: Int,
        sizes: SimulatedFile.Sizes = .usual,
        hasLines: Bool = false,
        hosts hostCount: Int = 3,
        changingFor horizon: Duration = .seconds(120)
    ) {
        for index in hosts.count..<hosts.count + hostCount {
            let isSecure = random.onceIn(3)
            let kinds = sizes == .usual ? NetworkFault.ofHosts : NetworkFault.ofConnections
            let drawn = random.faults(of: kinds, most: 2)
            let lines = (0..<4).map { _ in random.pick(NetworkFault.ofLines) }.prefix(random.number(in: 1...4))
            let onLines = NetworkFault.ofLines.filter { lines.contains($0) } + drawn.filter { !lines.contains($0) }
            let faults = allowed(hasLines ? onLines : drawn)
            let refusals = allowed([[.retryAfter], [.retryAfter], [.retryAfterDate], []][random.below(4)])
            add(
                SimulatedHost(
                    "host\(index).example",
                    isSecure: isSecure,
                    faults: faults + refusals,
                    random: random.fork()
                )
            )
        }
        for index in files.count..<files.count + count {
            let host = random.pick(hosts)
            let (kinds, most) = random.onceIn(3) ? (NetworkFault.ofVersions, 6) : (NetworkFault.ofFiles, 4)
            let drawn = random.faults(of: kinds, most: most)
            let faults = allowed(random.onceIn(16) ? NetworkFault.toldByIfRange : drawn)
            addFile("file\(index).bin", on: host, faults: faults, sizes: sizes, changingFor: horizon)
        }
    }

    package func add(_ host: SimulatedHost) {
        hosts.append(host)
    }

    /// Adds a file with exactly these faults, except forbidden ones.
    @discardableResult
    package func addFile(
        _ name: String,
        on host: SimulatedHost,
        faults: [NetworkFault] = [],
        sizes: SimulatedFile.Sizes = .usual,
        changingFor horizon: Duration = .seconds(120)
    ) -> SimulatedFile {
        let others = hosts.filter { $0.isSecure || !host.isSecure }
        let targetHost = others.isEmpty ? host : random.pick(others)
        let file = SimulatedFile(
            at: "\(host.origin)/\(name)",
            on: host,
            target: ("\(targetHost.origin)/stored/\(name)", targetHost),
            faults: allowed(faults),
            sizes: sizes,
            random: random.fork()
        )
        files.append(file)
        if let url = file.metalinkURL { metalinks[url] = file }
        places[file.url] = Place(file: file, isTarget: false)
        places[file.target.url] = Place(file: file, isTarget: true)
        addMirrors(of: file, name)
        for time in file.changeTimes(within: horizon) {
            timeline.after(time) { [self] in
                if isHealed { return }
                for fault in NetworkFault.ofChanges.prefix(4) where file.has(fault) { occurs(fault) }
                change(file)
            }
        }
        return file
    }

    /// Gives a file its next version now.
    package func change(_ file: SimulatedFile) {
        guard let content = file.change(timeline.now) else { return }
        timeline.note("net \(file.path) is now \(content.label) of \(content.count) bytes")
        guard file.has(.cutAtChange) else { return }
        occurs(.cutAtChange)
        for host in hosts {
            for transfer in host.transfers where place(transfer.request.url.text)?.file === file { transfer.breakOff() }
        }
    }

    private func addMirrors(of file: SimulatedFile, _ name: String) {
        for index in 0..<random.number(in: 1...2) {
            let host = hosts.isEmpty ? file.host : random.pick(hosts)
            let kinds = NetworkFault.ofMirrors + (random.onceIn(2) ? [] : NetworkFault.ofFiles)
            let faults = random.faults(of: kinds, most: 2)
            let mirror = SimulatedFile(
                at: "\(host.origin)/mirror\(index)/\(name)",
                on: host,
                target: ("\(host.origin)/mirror\(index)/stored/\(name)", host),
                mirrorOf: file,
                faults: allowed(faults),
                random: random.fork()
            )
            if file.differsAtItsEnds { continue }
            file.mirrors.append(mirror)
            mirrors.append(mirror)
            places[mirror.url] = Place(file: mirror, isTarget: false)
            places[mirror.target.url] = Place(file: mirror, isTarget: true)
        }
    }

    private func allowed(_ faults: [NetworkFault]) -> [NetworkFault] { faults.filter { !forbidden.contains($0) } }

    /// From now on every host is up and fast, and every file honest and unchanged. What is under way stays as it is.
    package func heal() {
        isHealed = true
        for host in hosts { host.heal() }
        for file in files + mirrors { file.heal() }
        timeline.note("net healed")
    }

    /// The world ends: what a killed process still holds of it is little.
    package func close() {
        for file in files + mirrors { file.close() }
        (hosts, files, mirrors) = ([], [], [])
        running = [:]
        (places, metalinks) = ([:], [:])
    }

    // MARK: Asking about the world

    /// All that the file at a URL was so far, on all its back ends and wherever its redirects led, and what was sent under
    /// its name.
    ///
    /// - Parameter named: mirrors that the request names: what they have counts, too.
    package func contents(of url: String, orAt named: [String] = []) -> [SimulatedContent] {
        ([url] + named).flatMap { place($0)?.file.contents ?? [] }
    }

    package func file(at url: String) -> SimulatedFile? { place(url)?.file }

    /// What the file at a URL is now.
    package func present(_ url: String) -> SimulatedContent? { place(url)?.file.version(0, timeline.now)?.content }

    /// The URL with a signature that is valid for some time, as the program's own `prepare` makes it.
    package func signed(_ url: String) -> String {
        let time = place(url)?.file.traits.signatureTime ?? .seconds(60)
        return Signature.sign(String(url.prefix { $0 != "?" }), until: timeline.now + time)
    }

    /// How many connections are open at all servers.
    package var openCount: Int { hosts.reduce(0) { $0 + $1.openCount } }

    /// How many transfers of living processes have not ended.
    package var runningCount: Int { running.values.reduce(0) { $0 + ($1.hasEnded ? 0 : 1) } }

    /// The requests of a process that have not ended.
    package func runningRequests(of process: Int32) -> [NetworkRequest] {
        running.filter { $0.value.process.number == process && !$0.value.hasEnded }.keys.sorted().map { requests[$0] }
    }

    /// How often each fault has shown, in a fixed order.
    package var occurrences: [(fault: NetworkFault, count: Int)] {
        NetworkFault.allCases.compactMap { fault in counts[fault].map { (fault, $0) } }
    }

    /// A secret that may be sent to these origins alone. What was said of it before counts no more.
    package func guardSecret(_ text: String, for origins: [String]) {
        secrets.removeAll { $0.text == text }
        secrets.append((text, Array(text.utf8), origins))
    }

    /// Lets go of what killed processes left.
    package func removeDead() {
        for number in running.keys.sorted() {
            if let transfer = running[number], !transfer.process.isAlive { lose(transfer) }
        }
    }

    // MARK: Lines

    /// How many connections receive over the line of the machine, and what it carries.
    var commonLoad: (receiving: Int, rate: Int) {
        let hosts = hosts.filter { $0.has(.commonLine) }
        return (hosts.reduce(0) { $0 + $1.receivingCount }, commonRate)
    }

    /// A host has another number of connections.
    func connectionsChanged(of host: SimulatedHost, from former: Int) {
        if !host.hasLine { return }
        host.connectionsChanged(from: former, timeline.now)
        ratesChanged(of: host)
    }

    /// What a host's connections get has changed.
    func ratesChanged(of host: SimulatedHost) {
        if !host.hasLine { return }
        let isCommon = host.has(.commonLine)
        for other in hosts where other === host || isCommon && other.has(.commonLine) {
            for transfer in other.transfers { transfer.adapt() }
        }
    }

    // MARK: Transfers

    func start(
        _ request: TransportRequest,
        of process: SimulatedProcess,
        _ sink: any TransportSink
    ) -> SimulatedTransfer {
        let number = requests.count
        let origin = request.url.origin.text
        let wait = quiet[Listener(process: process.number, origin: origin)]
        requests.append(
            NetworkRequest(
                number: number,
                time: timeline.now,
                process: process.number,
                url: request.url.text,
                origin: origin,
                address: request.address,
                isStray: request.address.map { host(request.url)?.hasAddress($0) != true } ?? false,
                range: request.rangeText,
                ifRange: request.field("if-range"),
                ifNoneMatch: request.field("if-none-match"),
                authorization: request.credentials.map { "\($0.user):\($0.password)" }
                    ?? request.field("authorization"),
                cookie: request.field("cookie"),
                isLimited: request.rate?.isLimited ?? false,
                lines: self.host(request.url)?.faultsOfLine ?? [],
                quietUntil: wait?.until,
                quietCause: wait?.cause,
                isHelper: running.contains { other in
                    other.value.process === process && !other.value.hasEnded
                        && requests[other.key].url == request.url.text
                }
            )
        )
        noteLeaks(request, number, origin)
        let condition = request.field("if-range").map { " if \($0)" } ?? ""
        let range = request.rangeText.map { " \($0)\(condition)" } ?? ""
        let address = request.address.map { " at \($0)" } ?? ""
        timeline.note("net #\(number) of \(process.number): \(request.url.text)\(address)\(range)")
        let transfer = SimulatedTransfer(number, request, of: process, sink, in: self)
        running[number] = transfer
        transfer.begin()
        return transfer
    }

    private func noteLeaks(_ request: TransportRequest, _ number: Int, _ origin: String) {
        for secret in secrets where !secret.origins.contains(origin) {
            var fields = request.fields.filter { Array($0.value.utf8).holds(secret.bytes) }.map(\.name)
            if let own = request.credentials, own.password == secret.text || own.user == secret.text {
                fields.append("credentials")
            }
            for field in fields {
                leaks.append(CredentialLeak(request: number, url: request.url.text, field: field))
                timeline.note("net #\(number) has a secret in \(field)")
            }
        }
    }

    func host(_ url: HTTPURL) -> SimulatedHost? {
        let origin = url.origin.text
        return hosts.first { $0.origin == origin }
    }

    func lookUp(_ url: HTTPURL, of process: SimulatedProcess, _ completion: @escaping @Sendable (LookupAnswer) -> Void)
    {
        guard let host = host(url) else { return completion(.noSuchName) }
        let (answer, time) = host.lookup(timeline.now)
        timeline.note("net lookup of \(host.name): \(answer) in \(time)")
        timeline.after(time, in: process) { completion(answer) }
    }

    func occurs(_ fault: NetworkFault) {
        counts[fault, default: 0] += 1
    }

    /// What a server says to a request that has arrived.
    func answer(_ transfer: SimulatedTransfer, at host: SimulatedHost) -> SimulatedAnswer {
        for dead in host.transfers where !dead.process.isAlive { lose(dead) }
        for fault in host.faults where [.slowHost, .narrowHost, .longRoundTrip].contains(fault) { occurs(fault) }
        requests[transfer.number].connection = transfer.connection?.number
        if let (fault, answer) = host.refuse(transfer.request.url, timeline.now) {
            occurs(fault)
            requests[transfer.number].refusal = fault
            if answer.retryAfter != nil { occurs(host.has(.retryAfterDate) ? .retryAfterDate : .retryAfter) }
            return answer
        }
        guard let place = place(transfer.request.url.text) else {
            let metalink = metalinks[transfer.request.url.text]?.metalink(timeline.now)
            var answer = metalink.map { SimulatedAnswer(200, $0) } ?? SimulatedAnswer(404, emptyPage)
            answer.add("Content-Length", "\(answer.content.count)")
            return answer
        }
        var responder = FileResponder(
            place.file,
            SimulatedQuery(transfer.request),
            isTarget: place.isTarget,
            isSecure: host.isSecure,
            timeline.now
        )
        let answer = responder.answer()
        for fault in responder.occurred { occurs(fault) }
        return answer
    }

    private func place(_ url: String) -> Place? {
        let end = url.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
        return places[end.map { String(url[..<$0]) } ?? url]
    }

    func deliversHead(_ transfer: SimulatedTransfer, _ answer: SimulatedAnswer) {
        let number = transfer.number
        requests[number].status = answer.status
        requests[number].retryAfter = answer.retryAfter
        if [429, 503].contains(answer.status) {
            let open = runningRequests(of: transfer.process.number).count { $0.origin == requests[number].origin }
            refusals.append(NetworkRefusal(request: number, time: timeline.now, openCount: open))
        }
        if let wait = answer.retryAfter {
            let listener = Listener(process: transfer.process.number, origin: requests[number].origin)
            let end = timeline.now + wait
            if end > quiet[listener]?.until ?? .zero { quiet[listener] = (end, number) }
        }
        let wait = answer.retryAfter.map { ", wait \($0.components.seconds) s" } ?? ""
        let (kind, position) = answer.end
        let end = kind == .whole ? "" : ", \(kind) after \(position)"
        let range = "\(answer.range.lowerBound)..<\(answer.range.upperBound)"
        timeline.note("net #\(number) \(answer.status): \(answer.content.label) \(range)\(wait)\(end)")
    }

    func delivers(_ transfer: SimulatedTransfer, _ count: Int) {
        requests[transfer.number].bytes += count
    }

    func ended(_ transfer: SimulatedTransfer, _ end: TransferEnd) {
        running[transfer.number] = nil
        if case .failed = end { requests[transfer.number].isCut = true }
        note(transfer, end.name)
    }

    /// The server notices that a process is gone.
    private func lose(_ transfer: SimulatedTransfer) {
        transfer.forget()
        running[transfer.number] = nil
        timeline.note("net #\(transfer.number) is gone with its process")
    }

    private func note(_ transfer: SimulatedTransfer, _ end: String) {
        requests[transfer.number].end = end
        timeline.note("net #\(transfer.number) \(end), \(requests[transfer.number].bytes) bytes")
    }
}

/// What a process sends requests with.
private struct SimulatedTransport: Transport {
    let network: SimulatedNetwork
    let process: SimulatedProcess

    func start(_ request: TransportRequest, sink: any TransportSink) -> any Transfer {
        network.start(request, of: process, sink)
    }

    func lookUp(_ url: HTTPURL, _ completion: @escaping @Sendable (LookupAnswer) -> Void) {
        network.lookUp(url, of: process, completion)
    }
}

extension TransferEnd {
    fileprivate var name: String {
        switch self {
        case .complete: "complete"
        case .unproven: "unproven"
        case .stopped: "stopped"
        case .cancelled: "cancelled"
        case .needsHTTP1: "needs HTTP/1"
        case .failed(let error): "\(error.kind)"
        }
    }
}
