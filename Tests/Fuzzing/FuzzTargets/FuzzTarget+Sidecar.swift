import SpateHTTPResumption
import SpatePartialFiles

extension FuzzTarget {
    /// The bytes of a sidecar.
    static let sidecar = FuzzTarget(name: "sidecar") { bytes throws(BrokenClaim) in
        let sidecar = bytes.withUnsafeBytes { Sidecar(bytes: $0) }
        try checkRecord(sidecar.record)
        let written = Array(sidecar.text.utf8)
        try require(written.count <= Sidecar.maximumLength, "\(written.count) bytes are written, more than are read")
        let again = written.withUnsafeBytes { Sidecar(bytes: $0) }
        let isEqual =
            again.record == sidecar.record && again.modified == sidecar.modified
            && again.partialName == sidecar.partialName
        try require(isEqual && again.text == sidecar.text, "\(sidecar) is read back as \(again)")
        try require(sidecar.modified ?? 0 >= 0, "a negative time")

        // Every line comes from the input, and the first valid line of a field counts. A garbled mark of a document is one.
        let read = bytes.prefix(Sidecar.maximumLength).split(separator: UInt8(ascii: "\n"))
        let mark = Array("\(RecordField.document.rawValue)=".utf8)
        for line in written.split(separator: UInt8(ascii: "\n")) {
            let isMark = line.starts(with: mark) && read.contains { $0.starts(with: mark) }
            try require(isMark || read.contains(line), "\(String(decoding: line, as: UTF8.self)) was never written")
        }
        for field in RecordField.allCases where sidecar.record[field] == nil {
            let name = Array("\(field.rawValue)=".utf8)
            for line in read where line.starts(with: name) {
                var record = ResumeRecord()
                record[field] = String(validating: line.dropFirst(name.count), as: UTF8.self)
                try require(record[field] == nil, "a valid \(field) is skipped")
            }
        }
    }
}
