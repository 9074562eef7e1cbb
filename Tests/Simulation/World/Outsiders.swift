import Foundation
import Glibc

/// What others do in the folders while Spate runs.
extension World {
    private enum Deed: CaseIterable {
        case edit, damage, append, truncate, remove, rename, lock, plant, plantFolder, plantPipe
        case removeAttribute, garbleAttribute, removeAttributes, removeFolder

        /// How often it comes among all others.
        var weight: Int {
            switch self {
            case .edit, .truncate, .remove, .rename, .lock, .plant: 4
            case .damage: 6
            case .append, .removeAttribute, .garbleAttribute: 2
            case .plantFolder, .plantPipe, .removeAttributes, .removeFolder: 1
            }
        }
    }

    private static let deeds = Deed.allCases.flatMap { Array(repeating: $0, count: $0.weight) }

    func planOutsiders() {
        for _ in 0..<traits.deedCount {
            let deed = timeline.pick(Self.deeds)
            timeline.after(timeline.time(upTo: traits.faultTime)) { [self] in
                if !isEnding, failure == nil { perform(deed) }
            }
        }
    }

    private func perform(_ deed: Deed) {
        let paths = disk.files(below: Self.top)
        let (path, name) = (paths.isEmpty ? nil : timeline.pick(paths), wantedName())
        timeline.note("an outsider: \(deed) \(path ?? "nothing"), \(name)")
        switch deed {
        case .plant: plant(name) { disk.plant(name, Array("an outsider's".utf8)) }
        case .plantFolder: plant(name) { disk.makeFolder(name) }
        case .plantPipe: plant(name) { disk.makePipe(name) }
        case .removeFolder: removeFolder(timeline.pick([Self.folder, Self.otherFolder]))
        default: if let path { perform(deed, path) }
        }
    }

    private func perform(_ deed: Deed, _ path: String) {
        let size = disk.status(of: path).map { Int($0.st_size) } ?? 0
        switch deed {
        case .edit:
            if size == 0 { return }
            noteAlteration(of: path)
            disk.edit(path, at: timeline.number(in: 0..<size), Array(repeating: 0x21, count: 1))
        case .damage:
            guard path.hasSuffix(".part"), size > 0,
                let url = disk.attributes(of: path)?[Self.originAttribute].flatMap({ URL(string: $0) }),
                urls.contains(url), disk.lock(path)
            else { return }
            disk.unlock(path)
            damaged.insert(url)
            disk.edit(path, at: timeline.number(in: 0..<size), Array(repeating: 0x21, count: 1))
        case .append:
            // As below.
            if disk.attributes(of: path)?["user.spate.total"] == "\(size + 4)" { return }
            noteAlteration(of: path)
            disk.edit(path, at: size, Array("more".utf8))
            takeOverIfFinished(path)
        case .truncate:
            // Spate may be making an empty file.
            let least = disk.maker(of: path) == .outsider ? 1 : 0
            let kept = timeline.number(in: least..<max(least + 1, size))
            // It would look like an untouched file.
            if size == 0 || disk.attributes(of: path)?["user.spate.total"] == "\(kept)" { return }
            noteAlteration(of: path)
            disk.truncate(path, to: kept)
            takeOverIfFinished(path)
        case .remove:
            withdrawPromise(of: path)
            disk.remove(path)
        case .rename: rename(path)
        case .lock:
            // Spate makes it, writes it and renames it at once, without a lock: that of the partial file is for it, too.
            if path.hasSuffix(".tmp") { return }
            let end = timeline.time(upTo: timeline.pick([.milliseconds(20), .seconds(1), traits.faultTime]))
            disk.lock(path, timeline.pick([LOCK_EX, LOCK_SH]))
            timeline.after(end) { [self] in disk.unlock(path) }
        case .removeAttribute, .garbleAttribute:
            guard let names = disk.attributes(of: path)?.keys.sorted(), !names.isEmpty else { return }
            let name = timeline.pick(names)
            // Nothing else shows that a document chose the URL.
            if deed == .removeAttribute, name == Self.documentAttribute { return }
            timeline.note("its \(name)")
            // Without them only the bytes that are compared tell two versions apart.
            if Self.validatorAttributes.contains(name) { noteAlteration(of: path) }
            disk.setAttribute(name, of: path, to: deed == .garbleAttribute ? "~" : nil)
            // Nothing shows any more that Spate made it. If it is empty, Spate is making it just now.
            if name == Self.originAttribute, size > 0, !isDescribed(path) { takeOver(path) }
        case .removeAttributes:
            guard let names = disk.attributes(of: path)?.keys.sorted(), !names.isEmpty else { return }
            for name in names { disk.setAttribute(name, of: path, to: nil) }
            if names.contains(Self.originAttribute), size > 0, !isDescribed(path) { takeOver(path) }
        default: break
        }
    }

    private func plant(_ path: String, _ make: () -> Bool) {
        disk.makeFolder(Self.folder)
        if disk.status(of: path) != nil || isDescribed(path) { return }
        // Sync it: Spate may be making a file that a power cut leaves empty.
        if make() { disk.sync(path) }
    }

    /// Whether a record says that the file is this URL's.
    func isRecorded(_ path: String, of url: URL) -> Bool {
        disk.attributes(of: path)?[Self.originAttribute] == url.absoluteString || isDescribed(path)
    }

    /// Whether there is a record in a file of its own. Then any file of that name seems to be Spate's.
    private func isDescribed(_ path: String) -> Bool {
        let url = URL(fileURLWithPath: path)
        return disk.status(of: url.deletingLastPathComponent().path + "/." + url.lastPathComponent + ".spate") != nil
    }

    /// A name that Spate may be about to use. Each URL has others left.
    private func wantedName() -> String {
        let url = timeline.pick(urls)
        let name = timeline.onceIn(4) ? place(of: url) : Self.folder + "/" + url.lastPathComponent
        return name + timeline.pick(["", ".part", ".part"])
    }

    private func rename(_ path: String) {
        let name = timeline.pick([URL(fileURLWithPath: path).lastPathComponent + ".old"] + nearbyNames(of: path))
        let target = URL(fileURLWithPath: path).deletingLastPathComponent().path + "/" + name
        if isDescribed(target) { return }
        // What describes a file is beside it, and stays there.
        if disk.attributes(of: path)?[Self.originAttribute] == nil { altered.formUnion(urls) }
        // A part that has a final name looks like the whole file.
        if path.contains(".part"), !name.hasSuffix(".part") { noteAlteration(of: path) }
        withdrawPromise(of: path)
        if disk.status(of: target) != nil { withdrawPromise(of: target) }
        disk.rename(path, to: name)
    }

    private func nearbyNames(of path: String) -> [String] {
        path.hasSuffix(".part") ? urls.map { $0.lastPathComponent + ".part" } : urls.map(\.lastPathComponent)
    }

    private func removeFolder(_ folder: String) {
        for path in disk.files(below: folder) { withdrawPromise(of: path) }
        disk.remove(folder)
    }

    // MARK: What may no longer be expected

    static let originAttribute = "user.xdg.origin.url"
    private static let documentAttribute = "user.spate.document"
    private static let validatorAttributes: Set = [
        "user.spate.validator", "user.spate.weak-etag", "user.spate.total", "user.spate.joined",
    ]

    /// The bytes of a file are no longer what Spate wrote: nobody can tell what is right.
    func noteAlteration(of path: String) {
        let origin = disk.attributes(of: path)?[Self.originAttribute].flatMap { URL(string: $0) }
        if let url = origin.flatMap({ urls.contains($0) ? $0 : nil }) ?? promised[path] {
            altered.insert(url)
        } else {
            // A sidecar, a journal, or a file that has a sidecar.
            altered.formUnion(urls)
            forgetWhatDocumentsChose()
        }
    }

    /// A finished file of another size than it had is the outsider's now.
    private func takeOverIfFinished(_ path: String) {
        let (name, attributes) = (URL(fileURLWithPath: path).lastPathComponent, disk.attributes(of: path) ?? [:])
        if name.hasSuffix(".part") || name.hasPrefix(".") { return }
        if attributes.isEmpty || attributes["user.spate.total"] != nil { takeOver(path) }
    }

    private func takeOver(_ path: String) {
        disk.takeOver(path)
        // A power cut might undo what the outsider did.
        disk.sync(path)
    }

    private func withdrawPromise(of path: String) {
        promised[path] = nil
    }
}
