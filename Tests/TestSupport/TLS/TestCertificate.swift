package import Foundation

/// A server's certificate for tests, right or wrong, with its key: files in PEM.
package struct TestCertificate: Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        /// For 127.0.0.1 and localhost, by `TestCertificates.authority`, and valid now.
        case good
        /// Good but for its time, which was the first day of 2020.
        case expired
        /// Good but for its names: it is for `other.invalid` and 127.0.0.2.
        case otherHost
        /// Good but for its issuer, which is another authority.
        case unknownIssuer
        /// Its own issuer.
        case selfSigned
    }

    package let kind: Kind
    package let certificate: URL
    package let key: URL
    /// What a client must trust to trust this certificate, if anything will do.
    package let authority: URL
}
