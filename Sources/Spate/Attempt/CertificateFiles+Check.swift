import Foundation
import Glibc
import SpateHTTPTransport

extension CertificateFiles {
    init(_ certificate: ClientCertificate) {
        self.init(certificate: certificate.file.path, key: certificate.key?.path)
    }

    /// Checks that the files have what their names promise, before anything is sent. Reads them, so it may wait for a
    /// disk. Whether the key belongs to the certificate shows when a connection is made.
    func check() throws(DownloadError) {
        let first = try Self.text(of: certificate, DownloadError.unusableCertificate)
        guard first.contains("-----BEGIN CERTIFICATE-----") || first.contains("-----BEGIN TRUSTED CERTIFICATE-----")
        else { throw .unusableCertificate(certificate, "it has no certificate in PEM form") }
        let second = if let key { try Self.text(of: key, DownloadError.unusableKey) } else { first }
        guard second.contains("PRIVATE KEY-----") else {
            throw key.map { .unusableKey($0, "it has no private key in PEM form") } ?? .missingKey(in: certificate)
        }
        // libcrypto would ask for the passphrase on the terminal.
        guard !Self.marksOfPassphrases.contains(where: { second.contains($0) }) else {
            throw .lockedKey(key ?? certificate)
        }
    }

    /// In PKCS #8, and in the earlier form of OpenSSL.
    private static let marksOfPassphrases = ["BEGIN ENCRYPTED PRIVATE KEY", "Proc-Type: 4,ENCRYPTED"]
    /// More than any certificate with its issuers has.
    private static let mostBytes = 1 << 20

    private static func text(
        of path: String,
        _ unusable: (_ path: String, _ reason: String) -> DownloadError
    ) throws(DownloadError) -> String {
        // A pipe can be read only once, and each connection reads the files.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw unusable(path, String(cString: strerror(errno))) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw unusable(path, "it is no regular file")
        }
        guard status.st_size <= mostBytes else { throw unusable(path, "it is too large for one") }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        var count = 0
        while count < bytes.count {
            let read = bytes.withUnsafeMutableBytes { buffer in
                Glibc.read(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count)
            }
            if read < 0, errno == EINTR { continue }
            guard read >= 0 else { throw unusable(path, String(cString: strerror(errno))) }
            if read == 0 { break }
            count += read
        }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
