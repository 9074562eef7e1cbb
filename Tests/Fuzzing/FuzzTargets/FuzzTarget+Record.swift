import HTTPResumption
import PartialFiles

extension FuzzTarget {
    /// One line for each field of a record, in the order of `RecordField`; then the size of the file.
    static let record = FuzzTarget(name: "record") { bytes throws(BrokenClaim) in
        var lines = InputLines(bytes)
        var record = ResumeRecord()
        for field in RecordField.allCases {
            let text = lines.nextText()
            record[field] = text
            try require(record[field]?.utf8.elementsEqual(text.utf8) ?? true, "\(field) changes: \(text)")
        }
        try checkRecord(record)
        let size = max(0, lines.nextNumbers().first.flatMap { $0 } ?? 0)
        try checkMark(record, size: size)
        try checkHeld(record, size: size)
    }

    static func checkRecord(_ record: ResumeRecord) throws(BrokenClaim) {
        var again = ResumeRecord()
        for field in RecordField.allCases {
            again[field] = record[field]
            guard let text = record[field] else { continue }
            try require(!text.isEmpty, "\(field) is empty")
            try require(!text.utf8.contains { $0 < 0x20 || $0 == 0x7F }, "\(field) breaks a line: \(text)")
            try require(text.utf8.count <= HTTPURL.maximumLength, "\(field) is too long")
        }
        try require(again == record, "\(record) is read back as \(again)")
        try require(record.total ?? 0 >= 0 && record.durable?.offset ?? 0 >= 0, "a negative number")
        if let origin = record.origin, let url = try? HTTPURL(origin) {
            try require(record.isOf(url) == url.text.utf8.elementsEqual(origin.utf8), "\(origin) is not recognised")
        }
    }

    /// Only bytes that are known to be on disk are trusted.
    private static func checkMark(_ record: ResumeRecord, size: Int64) throws(BrokenClaim) {
        guard let mark = record.durable else { return }
        let other = BootID("00000000-0000-0000-0000-000000000000")
        for boot in [mark.boot, other, nil] {
            let trusted = mark.trustedLength(of: size, under: boot)
            let isSameRun = boot != nil && boot == mark.boot
            try require((0...size).contains(trusted), "\(trusted) of \(size) bytes are trusted")
            try require(isSameRun || trusted <= mark.offset, "\(trusted) bytes are trusted beyond \(mark)")
            try require(mark.offset <= size || trusted == 0, "\(trusted) bytes are trusted in a file that is too short")
        }
    }

    /// A forged record leads to a request that can be sent safely.
    private static func checkHeld(_ record: ResumeRecord, size: Int64) throws(BrokenClaim) {
        let held = HeldBytes(
            length: size,
            total: record.total,
            validator: record.validator,
            encoding: record.encoding
        )
        guard case .tail(let offset, let condition) = RangeRequest.first(for: held) else { return }
        try require((0...size).contains(offset), "\(offset) is requested with \(size) bytes held")
        if let condition {
            try require(HTTPFields.maySend(name: "If-Range", value: condition.text), "\(condition) breaks a request")
        }
    }
}
