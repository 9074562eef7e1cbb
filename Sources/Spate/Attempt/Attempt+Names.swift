import Foundation
import SpateFilePaths
import SpateFileSystemCalls
import SpateHTTPSyntax
import SpateLocking
import SpatePartialFiles

/// The final name, if the response gives it. An earlier file of the URL keeps its name when it is replaced.
extension Attempt {
    /// The name that the program or the server gives for a response.
    func statedName(for head: ResponseHead) -> FileName? {
        let address = control.withLock { $0.machine.first.route.address }
        if let name = manager.configuration.fileName, let response = KeptResponse(url: address, head: head).response,
            let chosen = name(download.enqueuedRequest, response).flatMap({ FileName(stated: $0) })
        {
            return chosen
        }
        // What a mirror calls the file says little about the URL.
        guard request.takesServersName, mirror == nil else { return nil }
        return FileName(statedBy: head.fields, from: address, for: request.url)
    }

    /// Notes the file that this attempt replaces, so that the new one gets its name.
    func keepName(replacing replaced: ReplacedFiles) throws(FileSystemError) {
        guard request.naming == .stated, replaced != .none else { return }
        let kept = try directory.finalFile(request.claim)
        control.withLock { $0.replaced = kept }
    }

    /// Chooses the name that the response gave, or that of the replaced file. If all are taken, the URL's remains.
    ///
    /// - Returns: whether it is one from a response: then the file never replaces another one.
    func chooseFinalName(for file: PartialFile) throws(FileSystemError) -> Bool {
        guard request.naming == .stated else { return false }
        if let kept = control.withLock({ $0.replaced }), !isTaken(kept.name) {
            file.choose(finalName: kept.name, isStated: kept.hasStatedName)
            return kept.hasStatedName
        }
        return try chooseFreeName(for: file, isStated: true)
    }

    /// Chooses another name, because the present one is not free; false if there is none.
    func chooseFreeName(for file: PartialFile, isStated: Bool) throws(FileSystemError) -> Bool {
        let stated = isStated ? file.notes.name : nil
        if isStated, stated == nil { return false }
        guard let name = try directory.finalName(request.claim, stated: stated, isTaken: isTaken) else {
            return false
        }
        file.choose(finalName: name, isStated: isStated)
        return true
    }

    /// The name that a new file would have if nothing else had it; `nil` if it has that name.
    ///
    /// - Parameters:
    ///   - name: the name that it has.
    ///   - stated: the name that the response gave.
    func avoidedName(instead name: FilePath, stated: FileName?) -> FileName? {
        // Almost every file has its URL's name, so look for what only another name can have.
        guard stated != nil || request.url.hasQuery || FileName.mayBeVariant(name) else { return nil }
        // A new version has the name of the former one, whatever that is.
        if isUpdate || request.naming.isExplicit || control.withLock({ $0.$replaced != nil }) { return nil }
        let wanted = stated ?? request.claim.preferred
        return wanted.path == name ? nil : wanted
    }
}
