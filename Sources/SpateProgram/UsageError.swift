/// A call that can't be carried out as it was given, found before anything is fetched or touched.
struct UsageError: Error, Equatable {
    /// Every kind of it: the table of messages in the documentation has an example of each.
    enum Kind: String, CaseIterable, Sendable {
        // Options
        case unknownOption, familiarOption, straySwitchValue, missingValue, emptyValue, optionOfAnotherCommand
        // Their values
        case wholeNumber, seconds, size, fileName, header, repeatedHeader
        // What is to be fetched
        case nothingToFetch, noURLWanted, oneNameForMany, strayCommand, mistypedCommand, familiarCommand, fileForURL
        case dashForURL, missingScheme, otherScheme, unusableURL
        // Files and folders
        case folderIsFile, folderCannotBeMade, folderMissing, unreadableInput, lineTooLong
        case unreadableCertificates
        // The demo
        case demoFolder, demoServer
    }

    let kind: Kind
    /// One sentence or two: what is wrong, and what would be right.
    let message: String

    init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    /// The same, with the place where it was found.
    func found(at place: String) -> UsageError {
        UsageError(kind, "\(place): \(message)")
    }
}
