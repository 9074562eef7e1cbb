extension HTTPFields {
    /// Whether a field may be sent as it stands: a token for its name, and in its value no line break and no other
    /// control character but a tab (59).
    package static func maySend(name: String, value: String) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy(\.isTokenByte)
            && value.utf8.allSatisfy { !$0.isControl || $0 == UInt8(ascii: "\t") }
    }
}
