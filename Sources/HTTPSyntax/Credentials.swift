/// A user name and a password from a URL.
///
/// Printing and dumping hide both, so that no credential reaches a log by accident.
package struct Credentials: Hashable, Sendable {
    package let user: String
    package let password: String

    package init(user: String, password: String) {
        self.user = user
        self.password = password
    }
}

extension Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "(hidden)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

extension Credentials {
    /// Decodes the `user:password` of a URL; `nil` if both are empty.
    ///
    /// Strict, because the result goes into a request: an escape must not decode to a control character.
    init?(userInfo: [UInt8]) throws(HTTPURLError) {
        var user: [UInt8] = []
        var password: [UInt8] = []
        var isPastColon = false
        var rest = userInfo.makeIterator()
        while var byte = rest.next() {
            if byte == UInt8(ascii: ":"), !isPastColon {
                isPastColon = true
                continue
            }
            if byte == UInt8(ascii: "%") {
                guard let high = rest.next()?.hexValue, let low = rest.next()?.hexValue else {
                    throw .invalidCredentials
                }
                byte = high << 4 | low
                if byte.isControl { throw .controlCharacter }
            } else if !byte.isUnreserved, !Self.delimiters.contains(byte) {
                throw .invalidCredentials
            }
            if isPastColon { password.append(byte) } else { user.append(byte) }
        }
        if user.isEmpty, password.isEmpty { return nil }
        guard let user = String(validating: user, as: UTF8.self),
            let password = String(validating: password, as: UTF8.self)
        else { throw .invalidCredentials }
        self.init(user: user, password: password)
    }

    private static let delimiters = Set("!$&'()*+,;=:".utf8)
}
