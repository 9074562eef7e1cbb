import Foundation
import SpateFilePaths
import SpateHTTPSyntax
import SpatePartialFiles
import SpateQueueJournals

extension RequestField {
    /// In the order of a journal's line.
    static let all: [RequestField] = [
        RequestProperty("fileName", { $0.fileName }, { $0.fileName = $1 }).json()
            .journal("name") {
                $1["name"] = $0.request.fileName
            } read: { entry, request in
                if entry.fileName?.names.count == 1 { request.fileName = entry["name"] }
            }
            .joining(.conflictOfWhole),
        // As a name, because earlier versions refuse one with a slash: they would leave out an unknown field.
        RequestProperty("relativePath", { $0.relativePath }, { $0.relativePath = $1 }).json()
            .journal("name") {
                if $0.request.relativePath != nil { $1["name"] = $0.valid.claim.relativePath?.text }
            } read: { entry, request in
                if entry.fileName?.names.count ?? 0 > 1 { request.relativePath = entry["name"] }
            }
            .joining(.conflictOfWhole),
        RequestProperty("directory", { $0.directory }, { $0.directory = $1 })
            .json { $0.directory.map(URLWithoutSecrets.init) }
            .journal("folder") {
                $1["folder"] = $0.valid.claim.chosenFolder(besides: $0.ownFolder)?.text
            } read: {
                if let folder = $0.folder { $1.directory = URL(fileURLWithPath: folder.text, isDirectory: true) }
            }
            .joining(.conflictOfWhole),
        RequestProperty("placement", { $0.placement }, { $0.placement = $1 })
            .json(as: "cutURLFolders", { $0.placement.cutCount }, { $0.placement = .urlFolders(cutting: $1) })
            .text("cut", \.cutCount?.description) { $0.placement = Int($1).map { .urlFolders(cutting: $0) } ?? .folder }
            .joining(.conflictOfWhole),
        RequestProperty("headers", { $0.headers }, { $0.headers = $1 })
            .json { $0.openHeaders }.joining(.conflictOfWhole),
        // Sorted, so that equal requests have equal encodings.
        RequestProperty("privateHeaders", { $0.privateHeaders }, { $0.privateHeaders = $1 })
            .json { $0.privateHeaders.isEmpty ? nil : $0.privateHeaders.sorted() }
            .joining(.conflictOfWhole),
        RequestProperty("clientCertificate", { $0.clientCertificate }, { $0.clientCertificate = $1 })
            .joining(.conflictOfWhole),
        RequestProperty("priority", { $0.priority }, { $0.priority = $1 })
            .json(as: "priority", { PriorityWord($0.priority) }, { $0.priority = ($1 as PriorityWord).priority })
            .text("priority", \.rawValue.description) {
                $0.priority = Int($1).flatMap(Operation.QueuePriority.init) ?? .normal
            }
            .joining(.keepsFirst),
        RequestProperty("expectedBytes", { $0.expectedBytes }, { $0.expectedBytes = $1 })
            .json().text("size").conflict("expected size", isOfFile: true),
        RequestProperty("maximumBytes", { $0.maximumBytes }, { $0.maximumBytes = $1 }).json().text("max")
            .conflict("largest size", isOfFile: true) { joining in
                joining.total().map { $0 <= joining.wanted.maximumBytes ?? $0 } ?? false
            },
        // Earlier versions read no other checksum.
        RequestProperty("sha256", { $0.sha256 }, { $0.sha256 = $1 }).json().joining(.conflictOfWhole),
        RequestProperty("checksum", { $0.checksum }, { $0.checksum = $1 })
            .json { $0.sha256 == nil ? $0.checksum : nil }
            .text("checksum", \.?.description) { $0.checksum = try Checksum($1) }
            .conflict("checksum", isOfFile: true),
        RequestProperty("metalink", { $0.metalink }, { $0.metalink = $1 })
            .json(as: "pieces", { $0.metalink?.storedPieces }) {
                $0.metalink = Metalink.File(storedPieces: $1, of: $0)
                // Earlier versions did not write it. Pieces are a Metalink's.
                $0.isChosenByDocument = $0.metalink != nil
            }
            .text("pieces", \.?.storedPieces) {
                $0.metalink = Metalink.File(storedPieces: $1, of: $0)
                if $0.metalink == nil { throw UnreadablePieces() }
            }
            // A long list of pieces is not stored.
            .conflict("checksum", isOfFile: true) {
                let (known, wanted) = ($0.known.metalink?.pieces, $0.wanted.metalink?.pieces)
                return known == wanted || $0.isRestored && known == nil
            },
        RequestProperty("mirrors", { $0.mirrors }, { $0.mirrors = $1 })
            .json { $0.mirrors.isEmpty ? nil : $0.mirrors.map(URLWithoutSecrets.init) }
            .journal("mirror") {
                $1[all: "mirror"] = $0.valid.mirrors.map(\.text)
            } read: {
                $1.mirrors = $0.mirrors.compactMap { URL(string: $0) }
            }
            .joining(.takesEffect),
        RequestProperty("connections", { $0.connections }, { $0.connections = $1 }).json()
            .text("connections", { if case .exactly(let count) = $0 { "\(max(1, count))" } else { "0" } }) {
                $0.connections = Int($1).map { $0 > 0 ? .exactly($0) : .automatic }
            }
            .joining(.keepsFirst),
        RequestProperty("maxBytesPerSecond", { $0.maxBytesPerSecond }, { $0.maxBytesPerSecond = $1 })
            .json().text("rate").joining(.takesEffect),
        RequestProperty("timeLimit", { $0.timeLimit }, { $0.timeLimit = $1 })
            .json(as: "timeLimit", { $0.timeLimit.map(Seconds.init) }, { $0.timeLimit = ($1 as Seconds).duration })
            .text("time", { $0.map { Seconds($0).description } }) { $0.timeLimit = Seconds($1)?.duration }
            .conflict("time limit"),
        RequestProperty("replacesExistingFile", { $0.replacesExistingFile }, { $0.replacesExistingFile = $1 })
            .json().options(["r": true])
            .conflict("replacing of files", .onlyWanted) { $0.wanted.repair != nil },
        RequestProperty("allowsInsecureRedirects", { $0.allowsInsecureRedirects }, { $0.allowsInsecureRedirects = $1 })
            .json().options(["i": true])
            .conflict("insecure redirects"),
        RequestProperty("checksForUpdate", { $0.checksForUpdate }, { $0.checksForUpdate = $1 })
            .json().options(["u": true])
            .conflict(RequestDifferences.update),
        // Whoever takes any file is content with the right one.
        RequestProperty("skipsExistingFile", { $0.skipsExistingFile }, { $0.skipsExistingFile = $1 })
            .json().options(["s": true])
            .conflict("skipping of existing files", .onlyKnown),
        // What another file had is in the partial file, or is fetched.
        RequestProperty("repair", { $0.repair }, { $0.repair = $1 }).options(["p": DownloadRequest.Repair()])
            .conflict("repair of the file", .onlyWanted, isOfFile: true),
        RequestProperty("keepsServerTime", { $0.keepsServerTime }, { $0.keepsServerTime = $1 })
            .json().options(["t": true, "w": false])
            .conflict("the server's time", .onlyWanted) {
                $0.wanted.keepsServerTime == $0.known.keepsServerTime ?? $0.keepsServerTime
            },
        RequestProperty("usesServerMetalink", { $0.usesServerMetalink }, { $0.usesServerMetalink = $1 })
            .json().options(["m": true])
            .conflict("the server's Metalink", .onlyWanted),
        RequestProperty("isChosenByDocument", { $0.isChosenByDocument }, { $0.isChosenByDocument = $1 })
            .json { $0.isChosenByDocument == ($0.metalink?.storedPieces != nil) ? nil : $0.isChosenByDocument }
            // d: a document. o: the caller itself.
            .journal("d, o") {
                let isChosen = $0.request.isChosenByDocument
                if isChosen != $1.mayBeOfDocument { $1.options.append(isChosen ? "d" : "o") }
            } read: {
                $1.isChosenByDocument = $0.value(of: ["d": true, "o": false]) ?? $0.mayBeOfDocument
            }
            .joining(.conflictOfWhole),
        RequestProperty("naming", { $0.naming }, { $0.naming = $1 })
            .json().options(["n": .server, "a": .automatic]).joining(.conflictOfWhole),
        RequestProperty("asksOnly", { $0.asksOnly }, { $0.asksOnly = $1 }).joining(.keepsFirst),
    ]

    private struct UnreadablePieces: Error {}
}
