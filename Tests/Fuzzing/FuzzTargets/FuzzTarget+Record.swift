import SpateFileSystemCalls
import SpateHTTPResumption
import SpateHTTPSyntax
import SpatePartialFiles

extension FuzzTarget {
    /// One line for each field of a record, in the order of `RecordField`; then the size of the file.
    static let record = FuzzTarget(name: "record") { bytes throws(BrokenClaim) in
        var lines = InputLines(bytes)
        var record = ResumeRecord()
        for field in RecordField.allCases {
            let text = lines.nextText()
            record[field] = text
            // Any text of this one counts as yes.
            let isKept = field == .document || record[field]?.utf8.elementsEqual(text.utf8) ?? true
            try require(isKept, "\(field) changes: \(text)")
        }
        try checkRecord(record)
        let size = max(0, lines.nextNumbers().first.flatMap { $0 } ?? 0)
        try checkTrust(record, size: size)
    }

    static func checkRecord(_ record: ResumeRecord) throws(BrokenClaim) {
        var again = ResumeRecord()
        for field in RecordField.allCases {
            again[field] = record[field]
            guard let text = record[field] else { continue }
            try require(!text.isEmpty, "\(field) is empty")
            try require(!text.utf8.contains { $0 < 0x20 || $0 == 0x7F }, "\(field) breaks a line: \(text)")
            // A mark has a boot behind its list.
            let isList = [.durable, .filled].contains(field)
            let longest = isList ? FilledRanges.longestText + 37 : HTTPURL.maximumLength
            try require(text.utf8.count <= longest, "\(field) is too long")
        }
        try require(again == record, "\(record) is read back as \(again)")
        try require(record.total ?? 0 >= 0, "a negative total")
        for list in [record.durable?.filled, record.filled].compactMap(\.self) { try checkList(list) }
        if let origin = record.origin, let url = try? HTTPURL(origin) {
            try require(record.isOf(url) == url.text.utf8.elementsEqual(origin.utf8), "\(origin) is not recognised")
        }
    }

    /// In order, disjoint, and not touching.
    private static func checkList(_ list: FilledRanges) throws(BrokenClaim) {
        var end: Int64 = -1
        for range in list.ranges {
            try require(range.lowerBound > end && !range.isEmpty, "\(list.text) is out of order")
            end = range.upperBound
        }
    }

    /// Only bytes that are known to be on disk are trusted.
    private static func checkTrust(_ record: ResumeRecord, size: Int64) throws(BrokenClaim) {
        guard let mark = record.durable else {
            return try require(record.trusted(of: size, under: nil).isEmpty, "bytes are trusted without a mark")
        }
        let other = BootID("00000000-0000-0000-0000-000000000000")
        for boot in [mark.boot, other, nil] {
            let trusted = record.trusted(of: size, under: boot)
            let isSameRun = boot != nil && boot == mark.boot
            try checkList(trusted)
            try require(trusted.end <= size, "\(trusted.text) of \(size) bytes are trusted")
            try require(isSameRun || trusted.isPart(of: mark.filled), "\(trusted.text) are trusted beyond \(mark)")
            try require(mark.filled.end <= size || trusted.isEmpty, "bytes are trusted in a file that is too short")
            if let filled = record.filled {
                try require(trusted.end <= record.total ?? .max, "\(trusted.text) are trusted beyond the total")
                let isSynced = trusted.isPart(of: mark.filled)
                try require(isSynced || trusted.isPart(of: filled), "\(trusted.text) are trusted beyond \(filled.text)")
            }
            let isProven = record.total != nil && record.validator?.strong != nil
            try require(isProven || !trusted.hasGaps, "bytes behind a gap are trusted without a proof")
            try checkHeld(record, trusted)
        }
    }

    /// A forged record leads to a request that can be sent safely.
    private static func checkHeld(_ record: ResumeRecord, _ trusted: FilledRanges) throws(BrokenClaim) {
        let held = HeldBytes(
            length: trusted.front,
            gapEnd: trusted.gapEnd,
            total: record.total,
            validator: record.validator,
            encoding: record.encoding
        )
        guard case .tail(let offset, let condition) = RangeRequest.first(for: held) else { return }
        try require((0...trusted.front).contains(offset), "\(offset) is requested with \(trusted.text) held")
        if let condition {
            try require(HTTPFields.maySend(name: "If-Range", value: condition.text), "\(condition) breaks a request")
        }
    }
}
