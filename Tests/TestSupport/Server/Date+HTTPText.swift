package import Foundation

extension Date {
    /// As HTTP writes dates: `Sun, 06 Nov 1994 08:49:37 GMT`.
    package var httpText: String {
        var seconds = time_t(timeIntervalSince1970.rounded(.down))
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let text = [CChar](unsafeUninitializedCapacity: 64) { buffer, count in
            count = strftime(buffer.baseAddress, buffer.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
        }
        return String(decoding: text.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
