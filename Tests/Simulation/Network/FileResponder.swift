import Foundation
import SpateHTTPSyntax
import SpateHTTPTransport
import SpateTestSupport

/// Answers one request for a file, with the faults that the file has.
struct FileResponder {
    let file: SimulatedFile
    let query: SimulatedQuery
    /// Whether a redirect led here.
    let isTarget: Bool
    let isSecure: Bool
    let now: Duration
    /// Which faults the answer has.
    private(set) var occurred: [NetworkFault] = []
    private var random: SeededRandom

    init(_ file: SimulatedFile, _ query: SimulatedQuery, isTarget: Bool, isSecure: Bool, _ now: Duration) {
        (self.file, self.query, self.isTarget, self.isSecure, self.now) = (file, query, isTarget, isSecure, now)
        random = file.random.fork()
    }

    /// Whether a habit of the file shows now. The chance is drawn whether the file has it or not.
    private mutating func shows(_ fault: NetworkFault, onceIn count: Int = 1) -> Bool {
        let isDrawn = random.onceIn(count)
        guard isDrawn, file.has(fault) else { return false }
        occurred.append(fault)
        return true
    }

    mutating func answer() -> SimulatedAnswer {
        var answer = unpacedAnswer()
        if shows(.headStall, onceIn: 5) { answer.delay = nil }
        let delay = random.time(.milliseconds(50), .seconds(8))
        if query.start != nil, answer.delay != nil, shows(.slowRanges, onceIn: 2) { answer.delay = delay }
        return answer
    }

    private mutating func unpacedAnswer() -> SimulatedAnswer {
        if shows(.emptyReply, onceIn: 4) { return noHead(.emptyReply) }
        if shows(.garbage, onceIn: 6) { return noHead(.malformedResponse) }
        let status = random.pick([500, 502, 503, 504, 408])
        if shows(.serverError, onceIn: 3) { return refusal(status) }
        if shows(.forbidden, onceIn: 5) { return refusal(random.pick([401, 403, 403])) }
        if shows(.missing, onceIn: 5) || shows(.deadMirror) { return refusal(random.pick([404, 404, 410])) }
        if !isTarget, let redirect = redirect() { return redirect }
        let isSigned = isTarget ? isRedirectSigned : file.has(.signatures)
        if isSigned, !Signature.isValid(query, now) {
            occurred.append(isTarget ? redirectFault : .signatures)
            return refusal(random.pick(isTarget ? [403, 403, 401, 410] : [403, 400, 401, 410]))
        }
        if shows(.pageInstead, onceIn: 4) { return page(named: false) }
        if shows(.pageWithTag, onceIn: 4) { return page(named: true) }
        return representation()
    }

    // MARK: Without the file

    private mutating func noHead(_ kind: TransportError.Kind) -> SimulatedAnswer {
        var answer = SimulatedAnswer(0, SimulatedContent(seed: 0, count: 0, label: "nothing"))
        answer.noHead = kind
        return answer
    }

    private mutating func refusal(_ status: Int) -> SimulatedAnswer {
        // Longer ones than a client reads to keep its connection are rare.
        let count = random.onceIn(10) ? 90_000 : random.number(in: 0...2_000)
        let content = SimulatedContent(seed: random.next(), count: count, label: "refusal")
        var answer = SimulatedAnswer(status, content)
        answer.add("Date", date)
        answer.add("Content-Length", "\(count)")
        addLinks(to: &answer)
        return answer
    }

    private mutating func redirect() -> SimulatedAnswer? {
        let (loops, expired) = (shows(.redirectLoop, onceIn: 2), shows(.expiredRedirect, onceIn: 3))
        let location: String
        if loops {
            location = file.url
        } else if isRedirectSigned {
            if !expired { occurred.append(redirectFault) }
            location = Signature.sign(file.target.url, until: expired ? .zero : now + file.traits.signatureTime)
        } else if shows(.redirect) {
            location = file.target.host === file.host ? HTTPURL.path(of: file.target.url) : file.target.url
        } else {
            return nil
        }
        var answer = refusal(file.traits.redirectStatus)
        answer.add("Location", location)
        return answer
    }

    private var isRedirectSigned: Bool { file.has(.signedRedirect) || file.has(.expiredRedirect) }

    /// Which of the two makes its redirects signed.
    private var redirectFault: NetworkFault { file.has(.signedRedirect) ? .signedRedirect : .expiredRedirect }

    private mutating func page(named: Bool) -> SimulatedAnswer {
        guard let version = file.version(0, now) else { return refusal(404) }
        let content = file.variant(of: version.content, "page", count: 200 + Int(random.next() % 3) * 700)
        file.noteOther(content)
        var answer = SimulatedAnswer(200, content)
        if !note(.noDate) { answer.add("Date", date) }
        answer.add("Content-Type", "text/html; charset=utf-8")
        answer.add("Content-Length", "\(content.count)")
        if named { addValidators(of: version, 0, "", to: &answer) }
        return answer
    }

    // MARK: The file

    private mutating func representation() -> SimulatedAnswer {
        let backEnd = random.below(2)
        let (isEncoded, isQuiet) = (shows(.contentEncoding, onceIn: 3), file.traits.statesRanges)
        guard let version = file.version(backEnd, now) else { return refusal(404) }
        for fault in [NetworkFault.backEndsDiffer, .backEndLags] where backEnd == 1 { _ = note(fault) }
        for fault in [NetworkFault.sameTag, .sameDate] where file.contents.count > 1 { _ = note(fault) }
        _ = note(.staleMirror)
        var content = version.content
        if shows(.lyingMirror) { content = file.variant(of: content, "lie", count: content.count) }
        let isAnother = shows(.otherMirror)
        if isAnother { content = file.variant(of: content, "another", count: content.count / 2 + 4_000) }
        if isEncoded { content = file.variant(of: content, "encoded", count: content.count / 2 + 20) }
        let suffix = (isAnother ? "-another" : "") + (isEncoded ? "-gzip" : "")
        if let answer = unmodified(version, backEnd, suffix) { return answer }

        var answer = ranged(version, content, backEnd, suffix) ?? SimulatedAnswer(200, content)
        if content !== version.content || file.original != nil { file.noteOther(content) }
        if !note(.noDate) { answer.add("Date", date) }
        addValidators(of: version, backEnd, suffix, to: &answer)
        if answer.status != 416 {
            let isHTML = answer.fields.first(of: "content-type") != nil
            if !isHTML { answer.add("Content-Type", "application/octet-stream") }
            if isEncoded { answer.add("Content-Encoding", "gzip") }
            if let disposition = file.disposition(of: version) { answer.add("Content-Disposition", disposition) }
            addDigest(of: content, to: &answer)
            addLinks(to: &answer)
        }
        if file.has(.noRanges) {
            if random.onceIn(2) { answer.add("Accept-Ranges", "none") }
        } else if isQuiet {
            answer.add("Accept-Ranges", "bytes")
        }
        frame(&answer)
        pace(&answer)
        return answer
    }

    /// A 304, if the request has a condition that leads to one.
    private mutating func unmodified(
        _ version: SimulatedFile.Version,
        _ backEnd: Int,
        _ suffix: String
    ) -> SimulatedAnswer? {
        guard query.ifNoneMatch != nil || query.ifModifiedSince != nil, !shows(.ignoredConditions) else { return nil }
        var isSame = false
        if let held = query.ifNoneMatch {
            isSame = tagText(version, backEnd, suffix).map { $0.opaquePart == held.opaquePart } ?? false
        } else if let date = query.ifModifiedSince.flatMap({ HTTPDate($0) }), !file.has(.noLastModified) {
            isSame = modified(version) <= date.secondsSince1970
        }
        if !isSame, !shows(.always304) { return nil }
        var answer = SimulatedAnswer(304, version.content, 0..<0)
        answer.add("Date", date)
        // An honest 304 names the version that it is about.
        if isSame { addValidators(of: version, backEnd, suffix, to: &answer) }
        return answer
    }

    /// What a request for a range gets; `nil` for the whole file.
    private mutating func ranged(
        _ version: SimulatedFile.Version,
        _ content: SimulatedContent,
        _ backEnd: Int,
        _ suffix: String
    ) -> SimulatedAnswer? {
        guard let start = query.start, !shows(.noRanges) else { return nil }
        let refusalStatus = random.pick([416, 416, 400, 501])
        if shows(.refusedRanges, onceIn: 2) { return SimulatedAnswer(refusalStatus, content, 0..<0) }
        var echo: String?
        if let held = query.ifRange {
            if shows(.ifRangeAlwaysWhole) { return nil }
            if shows(.ifRangeEchoed) {
                echo = held
            } else {
                let isSame =
                    held == tagText(version, backEnd, suffix)
                    || !file.has(.noLastModified) && held == modified(version).httpDate
                let isWeak = held.hasPrefix("W/")
                if !isSame || isWeak, !shows(.ifRangeNotChecked) { return nil }
            }
        }
        guard start < content.count else {
            var answer = SimulatedAnswer(416, content, 0..<0)
            answer.add("Content-Range", "bytes */\(content.count)")
            return answer
        }
        var range = start..<max(start + 1, min(query.end ?? content.count, content.count))
        let (short, other) = (random.number(in: 1...range.count), random.number(in: 0...content.count - 1))
        if shows(.shortRanges, onceIn: 2) { range = range.prefix(short) }
        if shows(.tinyRanges) { range = range.prefix(file.traits.tinyLength) }
        if shows(.otherStart, onceIn: 2), other != start { range = other..<max(other + 1, range.upperBound) }
        var total = "\(content.count)"
        if shows(.otherTotal, onceIn: 2) { total = "\(content.count + 1 + Int(random.next() % 50))" }
        if shows(.unknownTotal, onceIn: 2) { total = "*" }
        var answer = SimulatedAnswer(206, content, range)
        if let echo {
            answer.echo = echo
            occurred.append(.ifRangeEchoed)
        }
        if shows(.multipart, onceIn: 2) {
            answer.add("Content-Type", "multipart/byteranges; boundary=parts")
        } else if !shows(.noContentRange, onceIn: 2) {
            answer.add("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total)")
        }
        if range.upperBound < content.count, shows(.shiftedRanges) {
            answer.range = range.lowerBound + 1..<range.upperBound + 1
        }
        return answer
    }

    // MARK: Fields

    private var date: String { (now.serverDate + clockError).httpDate }

    private var clockError: Int64 { file.has(.wrongClock) ? file.traits.clockError : 0 }

    private func modified(_ version: SimulatedFile.Version) -> Int64 { version.modified + clockError }

    private func tagText(_ version: SimulatedFile.Version, _ backEnd: Int, _ suffix: String) -> String? {
        if file.has(.noTags) { return nil }
        return (file.has(.weakTags) ? "W/" : "") + "\"" + file.tag(version, backEnd) + suffix + "\""
    }

    private mutating func addValidators(
        of version: SimulatedFile.Version,
        _ backEnd: Int,
        _ suffix: String,
        to answer: inout SimulatedAnswer
    ) {
        for fault in [NetworkFault.noTags, .weakTags, .noLastModified, .wrongClock] { _ = note(fault) }
        if let echo = answer.echo {
            answer.add(echo.hasSuffix("\"") ? "ETag" : "Last-Modified", echo)
            return
        }
        if answer.status == 206, shows(.bareParts, onceIn: 2) { return }
        if let tag = tagText(version, backEnd, suffix) { answer.add("ETag", tag) }
        if !file.has(.noLastModified) { answer.add("Last-Modified", modified(version).httpDate) }
    }

    private mutating func addDigest(of content: SimulatedContent, to answer: inout SimulatedAnswer) {
        guard let (field, algorithm) = file.traits.digest else { return }
        var digest = content.digest(algorithm)
        if shows(.wrongDigest) { digest[0] ^= 1 }
        let text = Data(digest).base64EncodedString()
        switch field {
        case .reprDigest: answer.add("Repr-Digest", "\(algorithm.rawValue)=:\(text):")
        case .digest: answer.add("Digest", "\(algorithm.rawValue)=\(text)")
        case .googleHash: answer.add("x-goog-hash", "md5=\(text)")
        // Of the message. Few servers send it with a part, and then it is the part's.
        case .contentMD5: if answer.status == 200 { answer.add("Content-MD5", text) }
        }
    }

    private mutating func addLinks(to answer: inout SimulatedAnswer) {
        if let url = file.metalinkURL {
            answer.add("Link", "<\(url)>; rel=describedby; type=\"application/metalink4+xml\"")
        }
        guard note(.mirrors) else { return }
        for (index, mirror) in file.mirrors.enumerated() {
            answer.add("Link", "<\(mirror.url)>; rel=duplicate; pri=\(index + 1)")
        }
    }

    /// Notes a habit that shows whenever it is there.
    private mutating func note(_ fault: NetworkFault) -> Bool {
        guard file.has(fault) else { return false }
        occurred.append(fault)
        return true
    }

    // MARK: The way of the body

    private mutating func frame(_ answer: inout SimulatedAnswer) {
        let (difference, place) = (random.number(in: 1...40), random.below(answer.range.count + 1))
        let malformed = shows(.malformedChunk, onceIn: 3)
        let cutSilently = shows(.silentCut, onceIn: 3)
        let isChunked = shows(.chunked, onceIn: 2) || malformed
        let isFramedByClose = shows(.framedByClose, onceIn: 2) || cutSilently
        let isUnproven = shows(.unprovenEnd, onceIn: 2)
        if isUnproven, query.mayBeHTTP2 {
            answer.framing = .stream
            if malformed || difference % 2 == 0 { answer.ending = (.closed, place) }
        } else if isChunked {
            answer.framing = .chunked
            answer.add("Transfer-Encoding", "chunked")
            if malformed { answer.ending = (.malformedChunk, place) }
        } else if isFramedByClose {
            answer.framing = .close
            answer.add("Connection", "close")
            if cutSilently { answer.ending = (.closed, place) }
        } else if answer.status == 206, shows(.wrongLength, onceIn: 2) {
            if difference % 2 == 0, answer.range.count > difference {
                answer.range = answer.range.dropLast(difference)
                answer.add("Content-Length", "\(answer.range.count)")
            } else {
                answer.add("Content-Length", "\(answer.range.count + difference)")
                answer.ending = (.closed, answer.range.count)
            }
        } else {
            answer.add("Content-Length", "\(answer.range.count)")
        }
    }

    private mutating func pace(_ answer: inout SimulatedAnswer) {
        let count = answer.range.count
        let (here, there) = (random.below(count + 1), random.below(count + 1))
        let (pause, seconds) = (random.time(.milliseconds(20), .seconds(40)), random.number(in: 2...40))
        if shows(.drip, onceIn: 3) { answer.rate = max(200, count / seconds) }
        if shows(.pause, onceIn: 2) { answer.pause = .init(position: here, length: pause) }
        if shows(.stall, onceIn: 3) { answer.pause = .init(position: here, length: nil) }
        let (isCut, isReset) = (shows(.cut, onceIn: 2), shows(.reset, onceIn: 3))
        if answer.ending != nil { return }
        if isCut || isReset {
            // Of a body without a length, a close in good order would be the end, unless TLS tells.
            answer.ending = (isCut && (answer.framing != .close || isSecure) ? .closed : .reset, there)
        }
    }
}

/// What makes a URL valid for some time.
enum Signature {
    static func sign(_ url: String, until end: Duration) -> String {
        let milliseconds = Int64(end / .milliseconds(1))
        return "\(url)?sig=\(code(HTTPURL.path(of: url), milliseconds))&expires=\(milliseconds)"
    }

    static func isValid(_ query: SimulatedQuery, _ now: Duration) -> Bool {
        guard let end = query.parameter("expires").flatMap({ Int64($0) }) else { return false }
        return query.parameter("sig") == code(query.url.path, end) && now < .milliseconds(end)
    }

    private static func code(_ path: String, _ end: Int64) -> String {
        let hash = path.utf8.reduce(UInt64(bitPattern: end) ^ 0xCBF2_9CE4_8422_2325) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
        return String(hash, radix: 16)
    }
}

extension String {
    /// A tag without what makes it weak.
    fileprivate var opaquePart: Substring { hasPrefix("W/") ? dropFirst(2) : self[...] }
}
