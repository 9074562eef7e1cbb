/// An error in the command line, thrown before anything is fetched or changed.
struct UsageError: Error, Equatable {
    /// Documentation/Messages.md has an example of each.
    enum Kind: String, CaseIterable, Sendable {
        // Options
        case unknownOption, foreignOption, unexpectedValue, missingValue, emptyValue, optionOfAnotherCommand
        // Their values
        case wholeNumber, jobs, connections, rate, shard, seconds, size, fileName, header, repeatedHeader, proxy,
            checksum, progress, naming, quietProgress, existingFiles, refreshOnRetry, keyWithoutCertificate,
            publicOnlyProxy, contentOutput
        // URLs and commands
        case missingURL, unexpectedURL, oneNameForMany, oneChecksumForMany, oneMirrorForMany, oneSourceForMany
        case misplacedCommand, mistypedCommand, foreignCommand, fileForURL, helpTopic
        case dashForURL, shell, missingScheme, otherScheme, unusableURL, urlPattern
        // Files and folders
        case folderIsFile, folderCannotBeMade, folderMissing, unreadableInput, lineTooLong
        case inputLine, inputOption, mirrors, contradictingURLs
        case unreadableMetalink, metalinkHeader, metalinkCertificate, notInMetalink, unknownFile
        case unreadableCertificates, unreadableChecksums, checksumLine
        case unreadableHeaders, unreadableNetrc, netrcLine, unreadableCookies, cookieLine, unwritableLog
        case unwritableFailed, failedFileInUse, failedOutput, unusableProgram,
            contentFolder
        // The terminal
        case noTerminal
        // The demo
        case demoFolder, demoServer
    }

    let kind: Kind
    /// The fault, and what to do instead.
    let message: String

    init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    /// Throws the first fault that there is.
    static func refuse(_ faults: [(isThere: Bool, kind: Kind, message: String)]) throws(UsageError) {
        if let fault = faults.first(where: \.isThere) { throw UsageError(fault.kind, fault.message) }
    }

    /// A copy with the file and line in front.
    func found(at location: String) -> UsageError {
        UsageError(kind, "\(location): \(message)")
    }
}
