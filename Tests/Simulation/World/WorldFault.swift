import Foundation
import Glibc
import SpateTestSupport

/// What can be wrong in a world beside its network and what disks and outsiders always do. Each has random numbers of its
/// own, so a world is the same with and without it otherwise.
package enum WorldFault: String, CaseIterable, Sendable {
    /// Somebody renames a folder in which downloads run.
    case renamedFolders
    /// Some files and folders cannot be opened for a while: there are no descriptors left, or they are unreadable.
    case failingOpens
    /// Two URLs have their files in two folders whose names differ only in their Unicode form, under the same name.
    case unicodeTwins
    /// A document chose some of the URLs, and users give a secret for another server with them.
    case chosenByDocuments
    /// Another program has left a damaged copy of a server's file, under its name and elsewhere.
    case damagedCopies

    /// Those of every world.
    package static let usual = Set(allCases)
}

extension World {
    /// Whether neither the disk nor an outsider disturbs anything.
    var isUndisturbed: Bool { !isDisturbed && traits.diskTroubleCount + traits.deedCount == 0 }

    func planFaults() {
        for fault in WorldFault.allCases where faults.contains(fault) {
            let seed = fault.rawValue.utf8.reduce(faultSeed) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
            var random = SeededRandom(seed: seed)
            // Most of them change what may be expected.
            if !random.onceIn(3) { continue }
            switch fault {
            case .renamedFolders: planRenames(&random)
            case .failingOpens: planFailingOpens(&random)
            case .unicodeTwins: chooseTwins(&random)
            case .damagedCopies: plantDamagedCopies(&random)
            case .chosenByDocuments: documentURLs = Set(urls.shuffled(using: &random).prefix(random.number(in: 1...2)))
            }
        }
    }

    // MARK: Renamed folders

    private func planRenames(_ random: inout SeededRandom) {
        isDisturbed = true
        for index in 0..<random.number(in: 1...2) {
            let folder = random.pick([Self.folder, Self.folder, Self.otherFolder])
            timeline.after(random.time(.milliseconds(1), traits.faultTime)) { [self] in
                if !isEnding, failure == nil { renameFolder(folder, to: "moved\(index)") }
            }
        }
    }

    private func renameFolder(_ folder: String, to name: String) {
        timeline.note("an outsider: renames \(folder) to \(name)")
        for path in disk.files(below: folder) { promised[path] = nil }
        let target = URL(fileURLWithPath: folder).deletingLastPathComponent().path + "/" + name
        if disk.status(of: target) == nil, disk.rename(folder, to: name) {
            moved.append((folder, target, timeline.now))
        }
    }

    /// What is wrong if a file is told finished at a path where nothing is: whether it got its name in a folder that was
    /// already elsewhere.
    func faultOfMovedFile(_ path: String) -> String? {
        for (folder, target, time) in moved where path.hasPrefix(folder + "/") {
            let place = target + path.dropFirst(folder.count)
            if let named = disk.nameTime(of: place), named > time { return "it is at \(place), where its folder was" }
        }
        return nil
    }

    // MARK: Failing opens

    private func planFailingOpens(_ random: inout SeededRandom) {
        isDisturbed = true
        for _ in 0..<random.number(in: 1...3) {
            let (code, share) = (random.pick([EMFILE, ENFILE, ENOMEM, EACCES, EIO]), random.pick([1, 2, 4]))
            let length = random.time(.milliseconds(1), traits.faultTime)
            let looks = (0..<4).map { (wish: $0 == 0 ? Wish.delete : .look, time: random.time(.zero, length)) }
            timeline.after(random.time(.milliseconds(1), traits.faultTime)) { [self] in
                if isEnding || failure != nil { return }
                for (wish, time) in looks { timeline.after(time) { [self] in perform(wish) } }
                timeline.note("the disk: one open in \(share) fails with \(code)")
                disk.faults.someOpens = (code, share)
                timeline.after(length) { [self] in disk.faults.someOpens = nil }
            }
        }
    }

    /// A deletion that succeeds has removed what was promised, though some files could not be opened.
    func checkDeleted(_ url: URL, _ paths: [String], of session: Session) {
        guard isAlone(session) else { return }
        for path in paths where disk.attributes(of: path)?[Self.originAttribute] == url.absoluteString {
            fail("\(shown(url)) was deleted, and \(path) is still there")
        }
    }

    /// A list of what is stored that succeeds has everything that was promised.
    func checkStored(_ finished: Set<URL>, of session: Session) {
        guard isAlone(session), !traits.choosesPlaces else { return }
        for (path, url) in promised where !finished.contains(url) && disk.attributes(of: path) != nil {
            fail("\(shown(url)) is finished at \(path), and is not among what is stored")
        }
    }

    /// Whether nobody else does anything in the folders.
    private func isAlone(_ session: Session) -> Bool {
        jobsAreWhole && traits.deedCount == 0 && moved.isEmpty && sessions.count == 1 && session.process.isAlive
    }

    // MARK: Names in two forms

    private func chooseTwins(_ random: inout SeededRandom) {
        let twins = urls.shuffled(using: &random).prefix(2)
        for (url, name) in zip(twins, ["caf\u{E9}", "cafe\u{301}"]) where twins.count == 2 {
            habits[url]?.folder = Self.top + "/" + name
            habits[url]?.fileName = "twin.bin"
        }
    }

    // MARK: Damaged copies

    private func plantDamagedCopies(_ random: inout SeededRandom) {
        let url = random.pick(urls)
        guard var bytes = network.present(url.absoluteString)?.bytes, !bytes.isEmpty else { return }
        for _ in 0..<random.number(in: 1...3) { bytes[random.below(bytes.count)] ^= 1 }
        disk.makeFolder(Self.folder)
        for path in [Self.folder + "/" + url.lastPathComponent, Self.top + "/copy.bin"] where random.onceIn(2) {
            disk.plant(path, bytes)
            disk.sync(path)
        }
    }
}
