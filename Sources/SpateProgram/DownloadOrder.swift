import Foundation

/// One file to fetch.
struct DownloadOrder: Sendable {
    let address: Address
    /// The name of the file, where it is not left to the library.
    var fileName: String?

    /// What a person calls it as long as the file is not there.
    var name: String {
        if let fileName { return Address.oneLine(fileName) }
        let last = Address.oneLine(address.url.lastPathComponent)
        return last.isEmpty || last == "/" ? address.shown : last
    }
}
