import Foundation
import SpateFilePaths
import SpateHTTPSyntax
import SpatePartialFiles
import SpateTestSupport
import Testing

@testable import Spate

/// What becomes of a download, by the file that is there and by what is wanted.
@Suite struct VerdictTests {
    private enum Wish: CaseIterable { case checksum, update, replacing, skipping, repair, otherSize }

    private let folder: TemporaryFolder
    private let directory: DownloadDirectory
    private let claim: FileClaim

    init() throws {
        folder = try TemporaryFolder()
        let path = FilePath(folder.path)
        (directory, claim) = (
            DownloadDirectory(path: path), FileClaim(try HTTPURL("http://h/f"), in: path, naming: .derived)
        )
        try Data("abc".utf8).write(to: folder.url("f"))
    }

    private func finish() throws -> StoredFile {
        let stranger = try #require(try directory.anyFile(claim))
        directory.keepProof(of: try directory.open(stranger), for: claim.origin, checksum: nil, isOfDocument: false)
        return try #require(try directory.finishedFile(claim))
    }

    private func change() throws -> StoredFile {
        _ = try finish()
        try Data("ab".utf8).write(to: folder.url("f"))
        return try #require(try directory.finalFile(claim))
    }

    private func wanted(_ wishes: Set<Wish>) throws -> WantedFile {
        var request = DownloadRequest(try #require(URL(string: "http://h/f")))
        if wishes.contains(.checksum) { request.checksum = try Checksum("md5:" + String(repeating: "0", count: 32)) }
        request.checksForUpdate = wishes.contains(.update)
        request.replacesExistingFile = wishes.contains(.replacing)
        request.skipsExistingFile = wishes.contains(.skipping)
        request.repair = wishes.contains(.repair) ? DownloadRequest.Repair() : nil
        request.expectedBytes = wishes.contains(.otherSize) ? 4 : nil
        return WantedFile(request)
    }

    @Test func aFinishedFileIsTheResultUnlessMoreIsWanted() throws {
        let file = try finish()
        let verdicts: [(Set<Wish>, Verdict)] = [
            ([], .answer), ([.skipping], .answer), ([.checksum], .read(replacing: .own)),
            ([.update], .ask(replacing: .own)), ([.checksum, .update], .read(replacing: .own)),
            ([.replacing], .fetch(replacing: .all)), ([.replacing, .checksum], .fetch(replacing: .all)),
            ([.replacing, .update], .ask(replacing: .all)), ([.otherSize], .fetch(replacing: .own)),
            ([.otherSize, .update], .fetch(replacing: .own)), ([.repair], .refuse),
            ([.repair, .checksum], .read(replacing: .all)),
        ]
        for (wishes, verdict) in verdicts { #expect(try wanted(wishes).verdict(on: file) == verdict, "\(wishes)") }
    }

    @Test func aChangedFileStaysUnlessItMayBeReplaced() throws {
        let file = try change()
        #expect(file.isChanged)
        let verdicts: [(Set<Wish>, Verdict)] = [
            ([], .refuse), ([.update], .refuse), ([.otherSize], .refuse), ([.checksum], .read(replacing: .none)),
            ([.replacing], .fetch(replacing: .all)), ([.repair], .fetch(replacing: .all)),
            ([.repair, .checksum], .read(replacing: .all)),
        ]
        for (wishes, verdict) in verdicts { #expect(try wanted(wishes).verdict(on: file) == verdict, "\(wishes)") }
    }

    @Test func anotherProgramsFileCountsOnlyIfItIsWanted() throws {
        let lookups: [(Set<Wish>, Verdict)] = [
            ([], .fetch(replacing: .none)), ([.update], .fetch(replacing: .none)), ([.skipping], .answer),
            ([.skipping, .update], .answer), ([.skipping, .otherSize], .fetch(replacing: .none)),
            ([.checksum], .read(replacing: .none)), ([.skipping, .checksum], .read(replacing: .none)),
            ([.replacing, .skipping], .fetch(replacing: .all)), ([.repair], .refuse),
        ]
        for (wishes, verdict) in lookups {
            let wanted = try wanted(wishes)
            let file = try directory.presentFile(claim, for: wanted)
            #expect(wanted.verdict(on: file) == verdict, "\(wishes)")
        }
        // A wrong one is read once, however often the download is tried.
        #expect(try directory.presentFile(claim, for: wanted([.checksum]), isFirstLook: false) == nil)
    }

    /// For every combination of wishes.
    @Test func nothingIsReplacedOrTakenUnasked() throws {
        let (stranger, finished) = (try #require(try directory.anyFile(claim)), try finish())
        let changed = try change()
        for bits in 0..<(1 << Wish.allCases.count) {
            let wishes = Set(Wish.allCases.enumerated().filter { bits >> $0.offset & 1 == 1 }.map(\.element))
            let wanted = try wanted(wishes)
            let mayReplace = !wishes.isDisjoint(with: [.replacing, .repair])
            for file in [stranger, finished, changed] {
                let verdict = wanted.verdict(on: file)
                #expect(verdict.replaced != .all || mayReplace, "\(wishes)")
                #expect(verdict.replaced != .own || file == finished, "\(wishes)")
                guard verdict == .answer else { continue }
                #expect(wishes.isDisjoint(with: [.checksum, .replacing, .repair, .otherSize]), "\(wishes)")
                #expect(file != changed && (file == stranger || !wishes.contains(.update)), "\(wishes)")
            }
        }
    }
}
