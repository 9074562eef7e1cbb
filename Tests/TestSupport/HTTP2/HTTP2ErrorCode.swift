/// Why a stream or a connection ends (RFC 9113, 7).
package enum HTTP2ErrorCode: UInt32, Sendable, CaseIterable {
    case noError = 0x0
    case protocolError = 0x1
    case internalError = 0x2
    case flowControlError = 0x3
    case refusedStream = 0x7
    case cancel = 0x8
    case enhanceYourCalm = 0xB
}
