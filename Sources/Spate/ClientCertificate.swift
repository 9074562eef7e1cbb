public import Foundation

/// A certificate to show to a server that asks for one, with its private key: files in PEM form.
///
///     request.clientCertificate = ClientCertificate(file: certificate, key: key)
public struct ClientCertificate: Sendable, Hashable {
    /// The file of the certificate, followed by those of its issuers if the server does not know them.
    public var file: URL
    /// The file of the private key; `nil`, the default, if it is in ``file``, too.
    ///
    /// The key must have no passphrase: nobody is asked for one.
    public var key: URL?

    /// Creates a certificate from files, which are read when a connection is made.
    public init(file: URL, key: URL? = nil) {
        self.file = file
        self.key = key
    }
}
