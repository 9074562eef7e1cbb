import ExtendedAttributes
import Foundation
import HTTPResumption
import Locking
import PartialFiles
import TestSupport
import Testing

/// What is kept of a file with gaps after a kill, a power cut, or a forgery.
@Suite(.takesTurns) struct GapDamageTests {
    private static let other = "99999999-2222-3333-4444-555555555555"

    /// What a killed run, a power cut or a forger may leave (S23). Every file has 18 bytes.
    @Test(
        arguments: [
            ("killed while writing", "0-0 \(GappedFile.boot)", "0-4 8-10", "0-4 8-10"),
            ("without a front", "0-0 \(GappedFile.boot)", "8-10 14-18", "8-10 14-18"),
            ("in order, and longer", "0-0 \(GappedFile.boot)", "0-10", "0-10"),
            ("killed while gaps were allowed", "3 \(GappedFile.boot)", "0-18", "0-18"),
            ("killed while the list was removed", "3 \(GappedFile.boot)", "0-18", "0-18"),
            ("after a power cut", "0-4 14-16 \(other)", "0-6 14-18", "0-4 14-16"),
            ("after a power cut, nothing synced", "0-0 \(other)", "0-6 14-18", "0-0"),
            ("after a power cut, the boot not known", "0-4 -", "0-6 14-18", "0-4"),
            ("no mark", nil, "0-4 8-10", "0-0"),
            ("no list", "0-4 8-10 \(GappedFile.boot)", nil, "0-4 8-10"),
            ("an invalid list", "0-4 8-10 \(GappedFile.boot)", "0-4 4-10", "0-4 8-10"),
            ("an invalid list and an older mark", "4 \(GappedFile.boot)", "garbage", "0-4"),
            ("an invalid list, after a power cut", "0-4 \(other)", "", "0-4"),
            ("an invalid list and mark", "0-4 3-9 \(GappedFile.boot)", "0-9 3-12", "0-0"),
            ("longer than the file", "0-4 \(GappedFile.boot)", "0-4 8-19", "0-4"),
            ("longer than the total", "0-4 8-10 \(GappedFile.boot)", "0-4 8-21", "0-4 8-10"),
            ("a mark longer than the file", "0-4 8-19 \(GappedFile.boot)", "0-4 8-10", "0-0"),
        ] as [(String, String?, String?, String)],
        RecordKeeping.allCases
    )
    func onlyWhatIsSafeIsKept(
        damage: (what: String, mark: String?, list: String?, kept: String),
        keeping: RecordKeeping
    ) throws {
        let folder = try DownloadFolder(keeping)
        var fields = [RecordField.origin: GappedFile.origin, .total: "20", .validator: "\"v1\""]
        (fields[.durable], fields[.filled]) = (damage.mark, damage.list)
        let content = String(GappedFile.whole.prefix(18))
        if keeping == .sidecar {
            let lines = fields.map { "\($0.rawValue)=\($1)\n" }.joined()
            try folder.write(lines, to: ".x.zip.part.spate")
            try folder.write(content, to: GappedFile.name)
        } else {
            try folder.leave(content, in: GappedFile.name, fields)
        }
        #expect(try folder.directory.contents().map(\.size) == [FilledRanges(damage.kept)?.count])
        for _ in 0..<2 {
            let file = try folder.directory.partial(of: try url(GappedFile.origin))
            #expect(file.filled.text == damage.kept)
            #expect(try folder.read(GappedFile.name).utf8.count == Int(file.filled.end))
            #expect(file.durable.isPart(of: file.filled))
            file.close()
        }
        let file = try folder.directory.partial(of: try url(GappedFile.origin))
        try file.begin(total: 20, validator: .etag("\"v1\""), encoding: nil)
        try file.write(GappedFile.whole, at: 0)
        try file.finish()
        #expect(try folder.read("x.zip") == GappedFile.whole)
    }

    @Test(arguments: RecordKeeping.allCases)
    func syncedRangesSurviveAPowerCut(keeping: RecordKeeping) throws {
        let folder = try DownloadFolder(keeping)
        let file = try GappedFile.made(in: folder.directory)
        try file.write("ijkl", at: 8)
        try file.sync()
        #expect(file.durable.text == "0-4 8-12")
        try file.write("efg", at: 4)
        try file.write("mn", at: 12)
        try file.write("t", at: 19)
        file.close()

        let later = folder.seen(keeping) { $0.boot = RecordKeeping.otherBoot }
        let again = try later.partial(of: try url(GappedFile.origin))
        #expect(again.filled.text == "0-4 8-12" && again.found == GappedFile.held(4, gapEnd: 8))
        try again.begin(total: 20, validator: .etag("\"v1\""), encoding: nil)
        try again.write("t", at: 19)
        again.close()
        let last = try later.partial(of: try url(GappedFile.origin))
        #expect(last.filled.text == "0-4 8-12 19-20" && last.durable.text == "0-4 8-12")
    }

    /// The state on disk at each call that changes something: what a kill leaves there, and what a power cut may leave.
    @Test func aKillBetweenAnyTwoCallsLosesNothingAndKeepsNothingWrong() throws {
        let (moments, synced) = (Locked<[Moment]>([]), Locked(""))
        let path = Locked("")
        @Sendable func remember(_ call: String) {
            let path = path.withLock { $0 }
            guard let moment = Moment(of: path, before: call, synced: synced.withLock { $0 }) else { return }
            moments.withLock { $0.append(moment) }
        }
        let folder = try DownloadFolder { platform in
            platform.write = { descriptor, bytes, count, offset in
                remember("write \(offset)")
                return Platform.native.write(descriptor, bytes, count, offset)
            }
            platform.sync = { descriptor in
                remember("sync")
                synced.withLock { $0 = (try? String(contentsOfFile: path.withLock { $0 }, encoding: .utf8)) ?? $0 }
                return Platform.native.sync(descriptor)
            }
            platform.attributes = { descriptor in
                CheckedAttributes(descriptor) { (name, text) throws(ExtendedAttributeError) in
                    remember("\(name) = \(text ?? "nil")")
                }
            }
        }
        path.withLock { $0 = folder.path(GappedFile.name) }
        let file = try GappedFile.made(in: folder.directory)
        try file.write("ijkl", at: 8)
        try file.sync()
        try file.write("st", at: 18)
        try file.truncate(to: 11)
        try file.truncate(to: 3)
        try file.write("de", at: 3)
        #expect(try file.allowGaps())
        try file.write("rst", at: 17)
        try file.sync()
        try file.write("fghijklmnopq", at: 5)
        try file.sync()
        try file.finish()

        let all = moments.withLock { $0 }
        #expect(all.count > 25)
        for moment in all {
            for (content, boot) in [
                (moment.content, RecordKeeping.boot), (moment.afterPowerCut, RecordKeeping.otherBoot),
            ] {
                let later = try DownloadFolder { $0.boot = boot }
                try Data(content.utf8).write(to: URL(filePath: later.path(GappedFile.name)))
                try later.withAttributes(of: GappedFile.name) { attributes in
                    for (field, text) in moment.fields { try attributes.set(field.rawValue, to: text) }
                }
                let kept = try later.directory.partial(of: try url(GappedFile.origin))
                for range in kept.filled.ranges {
                    let bytes = Array(GappedFile.whole.utf8)[Int(range.lowerBound)..<Int(range.upperBound)]
                    #expect(try kept.matches(Array(bytes), at: range.lowerBound), "\(moment) \(kept.filled.text)")
                }
                // A block under way is all that a kill costs.
                let written = content.utf8.count { $0 != 0 }
                if boot == RecordKeeping.boot { #expect(written - Int(kept.filled.count) <= 12, "\(moment)") }
            }
            // An older Spate trusts the mark in its own form, and then the whole file.
            if let mark = moment.fields[.durable], mark.split(separator: " ").count == 2, !mark.hasPrefix("0-") {
                #expect(GappedFile.whole.hasPrefix(moment.content), "\(moment)")
            }
        }
    }

    private struct Moment: CustomStringConvertible {
        let call: String
        let content: String
        /// With zeros for what was not synced.
        let afterPowerCut: String
        let fields: [RecordField: String]

        init?(of path: String, before call: String, synced: String) {
            guard let content = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
            self.call = call
            self.content = content
            let lost = String(repeating: "\0", count: max(0, content.utf8.count - synced.utf8.count))
            afterPowerCut = String(synced.prefix(content.utf8.count)) + lost
            let stored = (try? attributes(of: path)) ?? [:]
            fields = stored.reduce(into: [:]) { fields, next in
                RecordField(rawValue: next.key).map { fields[$0] = next.value }
            }
        }

        var description: String { "before \(call): \(content.debugDescription) \(fields)" }
    }
}
