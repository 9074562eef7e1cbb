import Foundation

/// A folder with two authorities, one key, and the certificates for it.
struct CertificateWorkshop {
    private let folder: URL

    /// The `ca` command alone can set both ends of a certificate's time in every version of the program.
    private static let configuration = """
        [ca]
        default_ca = authority
        [authority]
        new_certs_dir = .
        database = index.txt
        serial = serial.txt
        unique_subject = no
        default_md = sha256
        default_days = 30
        policy = any
        [any]
        commonName = supplied
        [req]
        distinguished_name = empty
        [empty]
        [issuer]
        basicConstraints = critical, CA:TRUE
        keyUsage = critical, keyCertSign, cRLSign
        subjectKeyIdentifier = hash
        [here]
        basicConstraints = critical, CA:FALSE
        subjectAltName = IP:127.0.0.1, DNS:localhost
        [elsewhere]
        basicConstraints = critical, CA:FALSE
        subjectAltName = IP:127.0.0.2, DNS:other.invalid
        """

    init(folder: URL) throws {
        self.folder = folder
        try Data(Self.configuration.utf8).write(to: folder.appendingPathComponent("openssl.cnf"))
        try Data().write(to: folder.appendingPathComponent("index.txt"))
        for name in ["authority", "stranger"] {
            try request(name, "-x509", "-days", "30", "-extensions", "issuer", "-out", "\(name).pem")
        }
        try request("server", "-out", "server.csr")
        try request("selfSigned", "-x509", "-days", "30", "-extensions", "here", "-out", "selfSigned.pem")
        try sign(.good)
        try sign(.expired, "-startdate", "20200101000000Z", "-enddate", "20200102000000Z")
        try sign(.otherHost, extensions: "elsewhere")
        try sign(.unknownIssuer, by: "stranger")
        try makeClients()
    }

    private func makeClients() throws {
        for (name, authority) in [("client", "authority"), ("foreign", "stranger")] {
            try request(name, "-out", "\(name).csr")
            try sign("\(name).csr", by: authority, as: "\(name).pem")
        }
        let locked = ["-in", "client.key", "-aes256", "-passout", "pass:hidden-word", "-out"]
        try run(["pkey"] + locked + ["locked.key"])
        try run(["pkey", "-traditional"] + locked + ["locked-before.key"])
        let both = try ["client.pem", "client.key"].map { try Data(contentsOf: folder.appendingPathComponent($0)) }
        try (both[0] + both[1]).write(to: folder.appendingPathComponent("both.pem"))
    }

    var client: TestClient { TestClient(folder: folder) }

    func certificate(_ kind: TestCertificate.Kind) -> TestCertificate {
        let authority =
            switch kind {
            case .good, .expired, .otherHost: "authority"
            case .unknownIssuer: "stranger"
            case .selfSigned: "selfSigned"
            }
        return TestCertificate(
            kind: kind,
            certificate: folder.appendingPathComponent("\(kind.rawValue).pem"),
            key: folder.appendingPathComponent(kind == .selfSigned ? "selfSigned.key" : "server.key"),
            authority: folder.appendingPathComponent("\(authority).pem")
        )
    }

    /// Makes a key, and a request or a certificate for it.
    private func request(_ name: String, _ arguments: String...) throws {
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", "\(name).key"]
        try run(["req", "-new", "-config", "openssl.cnf", "-subj", "/CN=Test \(name)"] + key + arguments)
    }

    private func sign(
        _ kind: TestCertificate.Kind,
        by authority: String = "authority",
        extensions: String = "here",
        _ time: String...
    ) throws {
        try sign("server.csr", by: authority, as: "\(kind.rawValue).pem", extensions: extensions, time)
    }

    private func sign(
        _ request: String,
        by authority: String,
        as certificate: String,
        extensions: String = "here",
        _ time: [String] = []
    ) throws {
        let issuer = ["-cert", "\(authority).pem", "-keyfile", "\(authority).key"]
        let files = ["-in", request, "-out", certificate, "-notext"]
        let names = ["-extensions", extensions]
        try run(["ca", "-batch", "-create_serial", "-config", "openssl.cnf"] + issuer + files + names + time)
    }

    /// Runs the program to its end, for a `static let` cannot wait in any other way.
    private func run(_ arguments: [String]) throws {
        guard let program = TestCertificates.program else { throw SystemError("openssl", number: ENOENT) }
        let said = folder.appendingPathComponent("said.txt").path
        let output = OwnedDescriptor(open(said, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600))
        guard output.number >= 0 else { throw SystemError("open of \(said)") }
        let input = OwnedDescriptor(open("/dev/null", O_RDONLY | O_CLOEXEC))
        defer {
            input.close()
            output.close()
        }
        let pid = try SpawnRequest(
            path: program,
            arguments: arguments,
            environment: nil,
            folder: folder.path,
            descriptors: [input.number, output.number, output.number]
        ).start()
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        guard status == 0 else {
            let words = (try? String(contentsOfFile: said, encoding: .utf8)) ?? ""
            throw SystemError("openssl \(arguments.joined(separator: " ")): \(words)", number: ECANCELED)
        }
    }
}
