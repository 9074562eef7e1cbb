import Foundation
import SpateTestSupport
import Testing

/// The program signs URLs again with `aws` and `gcloud`, which this test stands in for.
@Suite(
    .takesTurns,
    .enabled(if: access("/usr/bin/python3", X_OK) == 0, "not installed: python3")
) struct SignedURLsExampleTests {
    private let folder: TemporaryFolder
    private let bytes = TestBytes.random(count: 300_000)

    init() throws {
        folder = try TemporaryFolder()
    }

    private var signer: String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Examples/SignedURLs/sign.py").path
    }

    /// Not the PATH of this machine, whose `python3` may be a program that puts others before those of this folder.
    private var environment: [String: String] { ["PATH": "\(folder.path):/usr/bin:/bin"] }

    /// Writes a program that keeps its arguments and prints a URL.
    private func stand(in name: String, printing url: String) throws {
        let script = "#!/bin/sh\nprintf '%s\\n' \"$@\" > \(folder.path(name)).arguments\necho '\(url)'\n"
        try script.write(to: folder.url(name), atomically: true, encoding: .utf8)
        guard chmod(folder.path(name), 0o755) == 0 else { throw SystemError("chmod") }
    }

    private func arguments(of name: String) throws -> [String] {
        try String(contentsOf: folder.url("\(name).arguments"), encoding: .utf8).split(separator: "\n").map(String.init)
    }

    @Test func signaturesThatExpireInTheMidstOfAListAreMadeAgain() async throws {
        // As S3 and Cloud Storage answer: the first file breaks off, and meanwhile its signature expires.
        let server = try TestServer { [bytes] request in
            let reply = Reply.file(bytes, etag: "\"v1\"", for: request)
            guard request.target.hasSuffix("Signature=old") else { return reply }
            if request.target.contains("googleapis") { return .status(400, body: "<Code>ExpiredToken</Code>") }
            return request.visit == 1 ? reply.cut(after: 100_000) : .status(403, body: "Request has expired")
        }
        let (s3, gcs) = (
            "http://my.bucket.s3.eu-central-1.amazonaws.com/dir/a%20b.bin", "storage.googleapis.com/b/c.bin"
        )
        try stand(in: "aws", printing: "\(s3)?X-Amz-Signature=new")
        try stand(in: "gcloud", printing: "http://\(gcs)?X-Goog-Signature=new")
        let list = "\(s3)?X-Amz-Signature=old\nhttp://\(gcs)?X-Goog-Signature=old\n"
        try list.write(to: folder.url("list"), atomically: true, encoding: .utf8)
        let run = try ChildProcess(
            BuiltProgram.path("spate"),
            ["-d", "out", "--refresh-command", signer, "--refresh-on-retry", "-i", "list"],
            environment: environment.merging(["http_proxy": "http://127.0.0.1:\(server.port)"]) { $1 },
            folder: folder.path
        )
        #expect(try await run.waitForExit() == .status(0), "\(run.errors)")
        // Nothing but the failures that were tried again.
        #expect(run.errors.split(separator: "\n").allSatisfy { $0.contains("; try ") }, "\(run.errors)")
        for name in ["a b.bin", "c.bin"] {
            let file = [UInt8](try Data(contentsOf: folder.url("out/\(name)")))
            #expect(TestBytes.difference(file, from: bytes) == nil)
        }
        let object = "s3://my.bucket/dir/a b.bin"
        #expect(
            try arguments(of: "aws") == ["s3", "presign", object, "--expires-in", "3600", "--region", "eu-central-1"]
        )
        let sign = ["storage", "sign-url", "gs://b/c.bin", "--duration=3600s", "--format=value(signed_url)"]
        #expect(try arguments(of: "gcloud") == sign)
        let fresh = server.requests.filter { $0.target.hasSuffix("Amz-Signature=new") }
        #expect(fresh.count == 1 && fresh[0].range != nil)
    }

    @Test(arguments: ["https://example.com/a", "https://s3.example.com/a"])
    func aURLOfAnotherServerIsRefusedWithAWord(url: String) async throws {
        let input = Array("{\"url\": \"\(url)?secret\"}".utf8)
        let run = try ChildProcess(signer, [], environment: environment, folder: folder.path, input: input)
        #expect(try await run.waitForExit() == .status(1))
        #expect(run.errors.contains(" is neither S3 nor Cloud Storage") && !run.errors.contains("secret"))
    }
}
