import HTTPResumption
import TestSupport

/// Random responses out of plausible, wrong and hostile pieces; the same ones for the same seed.
struct MadServer: RandomNumberGenerator {
    private var random: SeededRandom

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
    }

    mutating func next() -> UInt64 { random.next() }

    mutating func below(_ bound: Int64) -> Int64 { .random(in: 0..<bound, using: &self) }

    mutating func pick<Value>(_ first: Value, _ others: Value...) -> Value {
        others.randomElement(using: &self).flatMap { below(Int64(others.count) + 1) == 0 ? first : $0 } ?? first
    }

    mutating func number() -> Int64 {
        pick(below(3), 1_000, 65_536, 65_537, 100_000, 200_000, 3 * mebibyte, .max - 1, .max, .min, -1, below(300_000))
    }

    mutating func validator() -> EntityValidator? { pick(nil, entity, entity, dated, .etag("\"b\"")) }

    mutating func held() -> HeldBytes {
        HeldBytes(
            length: number(),
            total: pick(nil, nil, number(), 200_000),
            validator: validator(),
            encoding: pick(nil, nil, nil, "gzip")
        )
    }

    mutating func request(_ held: HeldBytes) -> RangeRequest {
        pick(.first(for: held), .first(for: held), .whole, .tail(from: number(), ifRange: validator()))
    }

    mutating func history() -> ResumeHistory {
        var history = ResumeHistory()
        for _ in 0..<below(4) {
            history.record(pick(.plainRange, .overlap, .lastByte, .originalURL))
            history.record(.restart(RestartCause.allCases.randomElement(using: &self) ?? .multipart))
        }
        return history
    }

    mutating func limits() -> ResponseLimits {
        ResponseLimits(
            expectedBytes: pick(nil, nil, number()),
            maximumBytes: pick(nil, nil, number()),
            longestWait: number()
        )
    }

    mutating func head(near held: HeldBytes) -> ResponseHead {
        var fields = HTTPFields()
        for _ in 0..<pick(0, 1, 1, 1, 1, 2) { fields.append(name: "Content-Range", value: range(near: held)) }
        for _ in 0..<pick(0, 1, 1, 1, 2) { fields.append(name: "ETag", value: pick(tag, tag, "\"b\"", "W/\"a\"", "a")) }
        for _ in 0..<pick(0, 0, 1) { fields.append(name: "Last-Modified", value: pick(date, "then")) }
        for _ in 0..<pick(0, 0, 0, 1, 2) {
            fields.append(name: "Content-Length", value: pick("\(number())", "x", "9, 9"))
        }
        for _ in 0..<pick(0, 0, 0, 1) { fields.append(name: "Transfer-Encoding", value: pick("chunked", "gzip")) }
        for _ in 0..<pick(0, 0, 0, 1) { fields.append(name: "Content-Encoding", value: "gzip") }
        for _ in 0..<pick(0, 0, 0, 1) { fields.append(name: "Retry-After", value: pick("\(number())", date, "")) }
        for _ in 0..<pick(0, 0, 0, 1) { fields.append(name: "Content-Type", value: "multipart/byteranges") }
        let status = pick(206, 206, 206, 206, 200, 203, 416, 416, 412, 403, 404, 503, 302, 204, Int(number()))
        return ResponseHead(status: status, fields: fields, isMessageFramed: pick(true, false))
    }

    private mutating func range(near held: HeldBytes) -> String {
        let first = pick(held.length, held.length, max(0, held.length - 65_536), max(0, held.length - 1), number())
        let total = pick("\(held.total ?? 200_000)", "200000", "*", "\(number())")
        let last = pick(held.total.map { max(0, $0) &- 1 } ?? 199_999, 199_999, number(), first, held.length &+ 5)
        return pick("bytes \(first)-\(last)/\(total)", "bytes \(first)-\(last)/\(total)", "bytes */\(total)", "bytes")
    }
}
