import Dispatch
import Foundation
import Spate
import Testing

/// The names that programs outside of this repository compile against. Each is used once, as they would.
@Suite struct PublicInterfaceTests {
    @Test func theNamesThatOutsidersUseAreThere() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("spate-\(UUID())", isDirectory: true)
        var configuration = DownloadManager.Configuration()
        #expect(configuration.directory.lastPathComponent == "Spate")
        #expect(configuration.maxConcurrentDownloads == 3)
        configuration.directory = folder
        #expect(configuration.concurrency == .exactly(3))
        configuration.concurrency = .automatic(atMost: 8)
        configuration.concurrencyChanged = { (change: ConcurrencyChange) in
            let facts: (Int, Int, ConcurrencyChange.Reason, String?) = (
                change.limit, change.former, change.reason, change.host
            )
            #expect(facts.0 != facts.1 && facts.2 == .set)
        }
        configuration.maxConcurrentDownloads = 2
        configuration.retry = RetryPolicy()
        configuration.connectTimeout = .seconds(1)
        configuration.stallTimeout = .milliseconds(1)
        configuration.headers = ["X-One": "1"]
        configuration.keepsServerTime = true
        configuration.redirects = .sameOrigin
        configuration.usesServerMirrors = false
        configuration.accept = { _, response in if response.statusCode > 299 { throw CancellationError() } }
        configuration.fileName = { request, response in response["Content-Type"] ?? request.fileName }
        configuration.callbackQueue = DispatchQueue(label: "callbacks")
        let manager: DownloadManager = DownloadManager(configuration: configuration)
        manager.maxConcurrentDownloads = 1
        #expect(manager.maxConcurrentDownloads == 1)
        manager.concurrency = .automatic
        #expect(manager.concurrency == .automatic(atMost: 64))
        manager.concurrency = .exactly(1)
        _ = DownloadManager.shared
        _ = DownloadManager()

        let url = try #require(URL(string: "ftp://example.org/file"))
        let first: Download = manager.download(url, progress: { _ in }, completion: { _ in })
        var request = DownloadRequest(url)
        request.url = url
        request.fileName = "name"
        request.naming = .automatic
        request.directory = folder
        request.headers = ["A": "b"]
        request.clientCertificate = ClientCertificate(file: folder.appendingPathComponent("c"), key: nil)
        #expect(request.clientCertificate?.file.lastPathComponent == "c" && request.clientCertificate?.key == nil)
        request.clientCertificate = nil
        request.priority = .high
        request.expectedBytes = 1
        request.maximumBytes = 2
        request.replacesExistingFile = true
        request.checksForUpdate = true
        request.skipsExistingFile = false
        request.keepsServerTime = nil
        request.usesServerMetalink = false
        request.isChosenByDocument = !DownloadRequest.headersForDocuments.isEmpty
        manager.download(
            request,
            progress: { (_: DownloadProgress) in },
            completion: { (_: Result<URL, DownloadError>) in }
        )
        let many: [Download] = manager.download([url, url])
        #expect(many.count == 2)
        let requested: [Download] = manager.download([request, request])
        #expect(requested.map(\.request.fileName) == ["name", "name"])
        #expect(DownloadManager.Configuration(directory: folder).directory == folder)
        #expect(DownloadManager(directory: folder).configuration.directory == folder)
        #expect(DownloadManager(directory: folder, maxConcurrentDownloads: 8).maxConcurrentDownloads == 8)
        let make: (URL) -> DownloadManager = DownloadManager.init(directory:)
        #expect(make(folder).maxConcurrentDownloads == DownloadManager().maxConcurrentDownloads)
        let together: DownloadManagerProgress = manager.progress
        #expect(together == manager.progress && together.totalCount == together.failedCount)
        let response: DownloadResponse? = first.response
        #expect(response == nil)
        let made = DownloadRequest(url, fileName: "name", directory: folder, headers: ["A": "b"], priority: .high)
        #expect(made != request && Set([made, made, DownloadRequest(url)]).count == 2)
        #expect(DownloadRequest(url) == DownloadRequest(url, checksum: nil))
        let later: AsyncStream<DownloadEvent> = FetchOperation(url, manager: manager).events
        for await _ in later { Issue.record("it was never started") }
        await manager.waitUntilIdle()
        let result: Result<URL, DownloadError>? = first.result
        let failure: DownloadError? = first.error
        #expect(result != nil && (failure == nil) == first.state.isFinished)
        try first.delete()

        let ends: AsyncStream<[Download]> = manager.ends
        let refused: Download = manager.download(url)
        for await batch in ends {
            #expect(batch.map(\.id) == [refused.id])
            break
        }
        let retries: AsyncStream<(download: Download, date: Date, error: DownloadError)> = manager.retries
        let reading = Task { for await _ in retries { Issue.record("nothing was retried") } }
        reading.cancel()
        await reading.value

        let known: Download? = manager[url]
        #expect(known == nil && manager.downloads.isEmpty)
        manager.pause(url)
        manager.pauseAll()
        manager.resume(url)
        manager.resumeAll()
        manager.cancel(url)
        manager.cancelAll()
        #expect(throws: DownloadError.self) { try manager.delete(url) }
        try manager.deleteAll()
        let restored: [Download] = manager.restore()
        #expect(restored.isEmpty && !manager.isDownloaded(url))
        let places: [URL] = [manager.fileURL(for: url), manager.fileURL(for: request)]
        #expect(places.allSatisfy(\.isFileURL) && !manager.isDownloaded(request))
        #expect(throws: DownloadError.self) { try manager.delete(request) }

        _ = first.id
        #expect(first.url == url)
        let progress: DownloadProgress = first.progress
        let facts: (Int64, Int64?, Double?, Double, Duration?, String) = (
            progress.receivedBytes, progress.totalBytes, progress.fractionCompleted, progress.bytesPerSecond,
            progress.timeRemaining, progress.description
        )
        #expect(facts.0 == 0)
        let operation: DownloadOperation? = first.operation
        #expect(operation?.url == nil)
        first.pause()
        first.resume()
        first.cancel()
        let events: AsyncStream<DownloadEvent> = first.events
        for await event in events {
            switch event {
            case .state(let state): #expect(state.isTerminal)
            case .progress: break
            }
        }
        switch first.state {
        case .waiting(.slot), .waiting(.host), .waiting(.retry), .waiting(.disk), .running, .paused, .finished,
            .cancelled:
            Issue.record("not failed")
        case .failed(let error): #expect(error.code == .unsupportedScheme)
        }
        let ended: DownloadState = first.state
        #expect(ended.isFailed && !ended.isFinished && !ended.isCancelled)
        #expect(!ended.isWaiting && !ended.isRunning && !ended.isPaused)
        let error = await #expect(throws: DownloadError.self) { try await first.file }
        let parts: (String, Bool, Bool, Int?, (any Error)?) = (
            error?.message ?? "", error?.isRetryable ?? true, error?.keptPartialFile ?? true, error?.statusCode,
            error?.underlying
        )
        #expect(!parts.0.isEmpty && !parts.1 && !parts.2 && parts.3 == nil)
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }

    @Test func aConfigurationHasTheSameDefaultsHoweverItIsMade() throws {
        let folder = URL(filePath: "/folder", directoryHint: .isDirectory)
        let queue = DispatchQueue(label: "callbacks")
        var byProperties = DownloadManager.Configuration()
        byProperties.directory = folder
        byProperties.callbackQueue = queue
        var byFolder = DownloadManager.Configuration(directory: folder)
        byFolder.callbackQueue = queue
        let byQueue = DownloadManager.Configuration(directory: folder, callbackQueue: queue)
        #expect(byQueue.callbackQueue === queue)
        #expect(String(reflecting: byFolder) == String(reflecting: byProperties))
        #expect(String(reflecting: byQueue) == String(reflecting: byProperties))

        byProperties.maxConcurrentDownloads = 8
        byProperties.maxBytesPerSecond = 1_000_000
        byProperties.retry = .never
        byProperties.connectTimeout = .seconds(1)
        byProperties.stallTimeout = .seconds(2)
        byProperties.headers = ["X-One": "1"]
        let byValues = DownloadManager.Configuration(
            directory: folder,
            maxConcurrentDownloads: 8,
            maxBytesPerSecond: 1_000_000,
            retry: .never,
            connectTimeout: .seconds(1),
            stallTimeout: .seconds(2),
            headers: ["X-One": "1"],
            callbackQueue: queue
        )
        #expect(String(reflecting: byValues) == String(reflecting: byProperties))
        let make: (URL) -> DownloadManager.Configuration = DownloadManager.Configuration.init(directory:)
        #expect(make(folder).maxConcurrentDownloads == DownloadManager.Configuration().maxConcurrentDownloads)
    }

    /// As tests of other programs make them.
    @Test func whatAFolderHoldsCanBeMade() throws {
        let (url, file) = (try #require(URL(string: "https://example.org/f")), URL(filePath: "/downloads/f"))
        let part = StoredDownload(url: url, file: file, receivedBytes: 5, totalBytes: 10)
        #expect(part.isPartial)
        let data = try JSONEncoder().encode(part)
        #expect(try JSONDecoder().decode(StoredDownload.self, from: data) == part)
        let error = DownloadError(.httpStatus, "404 Not Found", statusCode: 404)
        #expect(StoredFailure(request: DownloadRequest(url), error: error).error == error)
        #expect(DownloadState.failed(error) == .failed(error) && DownloadState.running != .waiting(.host))
        let bad = VerificationResult(.missing, url: url, error: error)
        #expect(bad.isBad && bad.url == url && !VerificationResult(.verified, size: 5).isBad)
    }

    @Test func theCodesHaveTheirNames() {
        let codes: [DownloadError.Code] = [
            .cancelled, .badURL, .unsupportedScheme, .hostNotFound, .connectionFailed, .proxy, .tls, .timedOut,
            .httpStatus, .redirect, .badResponse, .incomplete, .tooLarge, .checksumMismatch, .diskFull, .fileExists,
            .inUse, .folderMoved, .fileSystem, .conflict,
        ]
        #expect(Set(codes).count == 20)
    }

    @Test func aRequestSaysItsNormalURL() throws {
        let request = DownloadRequest(try #require(URL(string: "https://user:secret@EXAMPLE.org/file#part")))
        #expect(request.normalizedText == "https://example.org/file")
        #expect(request.normalizedURL?.absoluteString == request.normalizedText)
        let other = DownloadRequest(try #require(URL(string: "ftp://example.org/file")))
        #expect(other.normalizedText == nil)
        #expect(other.normalizedURL == nil)
    }
}

/// The names that the tests above do not use. It compiles, and is never called.
private func theOtherNames(
    manager: DownloadManager,
    download: Download,
    queue: DispatchQueue,
    observer: any DownloadManagerDelegate
) async throws {
    let url = download.url
    var configuration: DownloadManager.Configuration = manager.configuration
    configuration.privateHeaders = ["X-One"]
    configuration.certificateAuthorities = url
    configuration.proxy = try DownloadProxy("http://proxy.example.org:3128")
    configuration.proxy = .url(url)
    configuration.proxy = .direct
    configuration.proxy = .environment
    configuration.networkInterface = "lo"
    configuration.syncInterval = .seconds(1)
    configuration.retry = .never
    for policy in [.follow, .follow(atMost: 3), .sameOrigin, .none] as [RedirectPolicy] {
        configuration.redirects = policy
    }
    for policy in [.any, .publicOnly, .publicOnly(besides: ["10.1.2.0/24"]), AddressPolicy { $0 == "::1" }] {
        configuration.addresses = policy
        configuration.addresses.trustsProxies = !policy.trustsProxies
    }
    var policy = RetryPolicy(
        maxRetriesWithoutProgress: 1,
        firstDelay: .seconds(1),
        maximumDelay: .seconds(1),
        maximumRetryAfter: .seconds(1)
    )
    policy.maxRetriesWithoutProgress = 2
    policy.maxRetriesOfUnknownName = 0
    policy.firstDelay = .zero
    policy.maximumDelay = .zero
    policy.maximumRetryAfter = .zero

    var request = DownloadRequest(url)
    request.privateHeaders = ["X-One"]
    request.sha256 = ""
    for algorithm in [.md5, .sha1, .sha256, .sha512] as [Checksum.Algorithm] {
        let checksum = try Checksum(algorithm, "")
        request.checksum = try Checksum("\(checksum.algorithm):\(checksum.hexadecimal)")
    }
    request.allowsInsecureRedirects = true
    try request.check()
    let normalized: URL? = request.normalizedURL
    request = try DownloadRequest(text: request.normalizedText ?? "").withOptions(of: request)

    manager.download(url) { (_: Result<URL, DownloadError>) in }
    manager.download(request) { (_: Result<URL, DownloadError>) in }
    manager.delegate = observer
    let allProgress: Progress = manager.makeProgress(on: queue)
    let progress: Progress = download.makeProgress(on: nil)
    let stored: [StoredDownload] = try manager.storedDownloads()
    for file in stored {
        let facts: (URL, URL, Int64, Int64?, Bool, Bool, Bool) = (
            file.url, file.file, file.receivedBytes, file.totalBytes, file.isFinished, file.isInUse,
            file.isChosenByDocument
        )
        print(facts)
    }
    let failures: [StoredFailure] = try manager.storedFailures()
    try manager.forgetFailures()
    let fetched: [URL] = [try await manager.file(for: url), try await manager.file(for: request)]
    download.priority = fetched.isEmpty ? .high : download.priority
    let _: DownloadError? = manager.restoreFailure
    for failure in failures {
        let facts: (DownloadRequest, DownloadError) = (failure.request, failure.error)
        print(facts)
    }
    for await (download, event) in manager.events { print(download, event.description) }

    let files: DownloadedFiles = manager.files(of: [url])
    for try await (url, file) in files { print(url, file) }
    let results: DownloadResults = manager.results(of: [url])
    for await (url, result) in results { print(url, result) }
    let urls = AsyncStream<URL> { $0.finish() }
    let requests = AsyncStream<DownloadRequest> { $0.finish() }
    let others: ([DownloadedFiles], [DownloadResults]) = (
        [manager.files(of: [request]), manager.files(of: urls), manager.files(of: requests)],
        [manager.results(of: [request]), manager.results(of: urls), manager.results(of: requests)]
    )

    var options = VerificationOptions()
    options.checksums = try ["name": Checksum("")]
    options.setChecksum(try Checksum(""), of: "name")
    options.maxConcurrentFiles = 1
    options.onlineRequest = { (url: URL) in DownloadRequest(url) }
    options.progress = { (progress: VerificationProgress) in print(progress.files, progress.readBytes) }
    let verified: AsyncStream<(file: URL, result: VerificationResult)> = manager.verify(options)
    for await (file, result) in verified {
        let sizes: (Int64?, Int64?) = (result.size, result.expectedSize)
        let checksums: (Checksum?, Checksum?) = (result.checksum, result.expectedChecksum)
        let faults: (URL?, DownloadError?, DownloadRequest?, Bool) = (
            result.url, result.error, result.repair, result.isBad
        )
        switch result.state {
        case .verified, .sizeOnly, .damaged, .changed, .outdated, .missing, .partial, .running, .failed:
            print(file, sizes, checksums, faults, result.isCurrent ?? false)
        }
    }

    let metalink: Metalink = try Metalink(Data(), from: url)
    for file: Metalink.File in metalink.files {
        let texts: (String, String?, [String]) = (file.name, file.fileName, file.remarks)
        let facts: (Int64?, Int64?, Checksum?, [URL], Bool) = (
            file.size, file.pieceLength, file.checksum, file.urls, file.isSigned
        )
        var request: DownloadRequest? = manager.request(for: file)
        request?.metalink = file
        if let request { let _: Download = manager.repair(request, from: url) }
        print(texts, facts, request?.url ?? url, metalink.origin ?? url, metalink.isDynamic)
    }

    let fetches = [FetchOperation(url), FetchOperation(request, manager: manager), FetchOperation(download)]
    for fetch in fetches {
        fetch.addDependent(BlockOperation {})
        for other in fetch.dependencies { fetch.removeDependency(other) }
        let facts: (URL, Download?, URL?, Result<URL, DownloadError>?) = (
            fetch.url, fetch.download, fetch.file, fetch.result
        )
        print(facts)
    }

    for remark in download.remarks {
        switch remark {
        case .lengthNotVerified, .contentEncoding(_), .notResumable, .webPage, .metalinkNotUsed(_), .nameTaken(_):
            print(remark.description)
        }
    }
    if let update: DownloadUpdate = download.update { print([DownloadUpdate.unchanged, .updated].contains(update)) }
    if case .waiting(let reason) = download.state { print(reason.description) }
    let state: DownloadState = .waiting(.retry(at: Date(), after: DownloadError(.tls, "")))
    let error = DownloadError(
        .init(rawValue: "new"),
        "",
        isRetryable: true,
        keptPartialFile: true,
        statusCode: 1,
        underlying: nil
    )
    let next = DownloadTry(number: 2, limit: nil)
    let codes: [DownloadError.Code] = [.badHeader, .badFileName, .badChecksum, .badMetalink, .outdated]
    let texts = [
        state.description, next.description, error.errorDescription ?? "", error.code.rawValue, error.code.description,
        DownloadFormat.size(1), DownloadFormat.amount(1, of: 2), DownloadFormat.speed(1),
        DownloadFormat.status(404), error.url?.path ?? "", error.failureReason ?? "", DownloadFormat.time(.zero),
        DownloadFormat.elapsed(.zero),
        LibraryVersion.text,
    ]
    let tries: (DownloadTry?, Int, Int?) = (error.nextTry, next.number, next.limit)
    func code<Value: Codable>(_: Value.Type) {}
    code(DownloadRequest.self)
    code(DownloadProgress.self)
    code(DownloadError.self)
    code(RetryPolicy.self)
    code(StoredDownload.self)
    code(StoredFailure.self)
    print(state.isTerminal, normalized as Any, allProgress, progress, others, codes, tries, texts)
    print(policy, configuration)
}

private final class Observer: DownloadManagerDelegate {
    func download(_ download: Download, didChangeTo state: DownloadState) {}
    func download(_ download: Download, didReceive progress: DownloadProgress) {}
    func download(_ download: Download, didFinishAt file: URL) {}
    func download(_ download: Download, didFailWith error: DownloadError) {}
}
