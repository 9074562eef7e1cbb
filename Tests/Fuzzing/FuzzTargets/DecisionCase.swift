import SpateHTTPResumption
import SpateHTTPSyntax

/// A response and its context, read from lines that people can write:
///
/// ```
/// 1000 3000 - - 784111777 0 -          bytes held, total, expected size, maximum size, current time, hops, first gap's end
/// 1000 if                              the request: first, whole, or an offset, with or without If-Range
/// plainRange 0                         the steps tried; restarts by their position in `RestartCause`
/// "a"                                  the validator held
///                                      the encoding held
/// 206                                  the status, then any word if the protocol frames messages
/// Content-Range: bytes 1000-2999/3000
/// ```
struct DecisionCase {
    let held: HeldBytes
    let head: ResponseHead
    let limits: ResponseLimits
    let hop: Int
    let now: Int64
    /// The head's fields, read independently.
    let plain: PlainFields
    var request: RangeRequest
    var history = ResumeHistory()

    init(_ bytes: [UInt8]) {
        var lines = InputLines(bytes)
        var numbers = lines.nextNumbers()
        numbers += Array(repeating: nil, count: max(0, 7 - numbers.count))
        let asked = lines.next().split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
        let tried = lines.next().split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
        let validator = EntityValidator(stored: lines.nextText())
        let encoding = lines.nextText()
        let status = lines.nextNumbers()
        let fields = lines.remaining()

        held = HeldBytes(
            length: numbers[0] ?? 0,
            gapEnd: numbers[6],
            total: numbers[1],
            validator: validator,
            encoding: encoding.isEmpty ? nil : encoding
        )
        limits = ResponseLimits(expectedBytes: numbers[2], maximumBytes: numbers[3])
        now = numbers[4] ?? 0
        hop = Int(clamping: numbers[5] ?? 0)
        plain = PlainFields(fields)
        head = ResponseHead(
            status: Int(clamping: status.first.flatMap { $0 } ?? 206),
            fields: HTTPFields(fields),
            isMessageFramed: status.count > 1
        )
        for step in tried.compactMap(Self.step) { history.record(step) }
        request =
            switch asked.first ?? "first" {
            case "whole": .whole
            case let offset:
                Int64(offset).map { .tail(from: $0, ifRange: asked.count > 1 ? validator : nil) }
                    ?? .first(for: held, history: history)
            }
    }

    private static func step(_ word: String) -> ResumeHistory.Step? {
        switch word {
        case "plainRange": .plainRange
        case "overlap": .overlap
        case "endOfHeld": .endOfHeld
        case "withoutRange": .withoutRange
        case "malformedChunks": .malformedChunks
        case "originalURL": .originalURL
        default: RestartCause.allCases.enumerated().first { String($0.offset) == word }.map { .restart($0.element) }
        }
    }

    var decision: ResumeDecision {
        .decide(held: held, request: request, head: head, history: history, limits: limits, hop: hop, now: now)
    }

    /// Whether the response proves to be of the held entity.
    var isSameEntity: Bool { held.validator.map { plain.names($0) } ?? false }

    /// The Content-Length, if it is valid and not overridden.
    var statedLength: Int64? {
        guard !head.overridesContentLength, case .exact(let length) = head.contentLength else { return nil }
        return length
    }
}

extension DecisionCase: CustomStringConvertible {
    var description: String {
        "\(held), \(request), \(history), \(limits), hop \(hop) at \(now), \(head.status) "
            + plain.fields.map { "\($0.name): \(PlainFields.text($0.value))" }.joined(separator: "; ")
    }
}
