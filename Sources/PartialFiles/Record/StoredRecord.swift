import SpateExtendedAttributes
import SpateFileSystemCalls
import SpateHTTPResumption

/// A record on disk: in the file's attributes, or in a sidecar if they cannot hold it.
struct StoredRecord: Sendable {
    enum Medium: Sendable {
        case attributes, sidecar
    }

    /// The record that a reader finds now.
    private(set) var record = ResumeRecord()
    private(set) var medium = Medium.attributes

    /// The record that this medium has; an empty one if the file has nothing on disk yet.
    init(_ record: ResumeRecord = ResumeRecord(), in medium: Medium = .attributes) {
        (self.record, self.medium) = (record, medium)
    }

    /// Reads the record of `file`; empty if it has none.
    ///
    /// - Throws: a `FileSystemError` if it is unknown whether it has one.
    init(of file: OpenFile) throws(FileSystemError) {
        let attributes = file.attributes
        do throws(ErrorNumber) {
            record[.origin] = try attributes.text(of: RecordField.origin.rawValue)
        } catch {
            switch error.attributeFailure {
            case .unsupported: medium = .sidecar
            case .doesNotFit: break
            case .other: throw FileSystemError(.read, file.path, code: error.code)
            }
        }
        var hasInvalidList = false
        if record.origin != nil {
            // Most files have few fields, and each that is not asked for saves a call.
            let names = try? attributes.names()
            for field in RecordField.allCases where field != .origin && names?.contains(field.rawValue) ?? true {
                let text = try file.text(ofAttribute: field.rawValue)
                record[field] = text
                if field == .filled { hasInvalidList = text != nil && record.filled == nil }
            }
        } else if let sidecar = try Sidecar(of: file) {
            record = sidecar.record
            hasInvalidList = sidecar.hasInvalidList
            medium = .sidecar
        }
        // The file may have gaps in unknown places. The synced bytes are safe.
        if hasInvalidList { record.filled = record.durable?.filled ?? FilledRanges() }
    }

    /// Signs a new file, which is locked, with its origin and whether a document chose it. nil if another download was
    /// quicker: the file may be published or deleted by now.
    init?(signing file: OpenFile, as signature: ResumeRecord) throws(FileSystemError) {
        if let isSigned = try? Self.sign(file.attributes, as: signature) {
            if !isSigned { return nil }
            record = signature
            return
        }
        // A sidecar is not part of the file, so it cannot show that another download signed first. Check that the file
        // is as we made it.
        let status = try file.status()
        guard status.size == 0, status.linkCount == 1, try file.isStillNamed(as: status.identity) else { return nil }
        try update(to: signature, of: file)
    }

    private static func sign(
        _ attributes: any FileAttributes,
        as signature: ResumeRecord
    ) throws(ErrorNumber) -> Bool {
        if let text = signature[.document] {
            // Whoever signed it first has done so before we had the lock.
            if try attributes.text(of: RecordField.origin.rawValue) != nil { return false }
            // The origin makes it a record, so it comes last.
            try attributes.set(RecordField.document.rawValue, to: text)
        }
        return try attributes.add(RecordField.origin.rawValue, signature.origin ?? "")
    }

    /// Writes the changes to disk. If a field that is needed does not fit into the attributes, the whole record moves
    /// into a sidecar. Another field is left out: `record` has the result.
    ///
    /// - Parameter durably: whether a sidecar is synced. Attributes are not: the next sync of the file writes them.
    mutating func update(
        to wanted: ResumeRecord,
        of file: OpenFile,
        durably: Bool = false
    ) throws(FileSystemError) {
        if record == wanted { return }
        if medium == .attributes {
            let attributes = file.attributes
            let fields = record.origin == nil ? RecordField.forNewFile : RecordField.allCases
            var (next, fits) = (0, true)
            while fits, let index = record.firstChange(to: wanted, in: fields, from: next) {
                fits = try set(fields[index], of: wanted, in: attributes, of: file)
                next = index + 1
            }
            if fits { return }
        }
        // A sidecar belongs to a name. If the file has lost its name, the sidecar may be its successor's.
        if try file.isStillNamed {
            try Sidecar(record: wanted).write(for: file.name, in: file.folder, durably: durably)
        }
        if medium == .attributes { try leaveAttributes(of: file) }
        record = wanted
    }

    /// Removes the attributes, which would contradict the sidecar: a reader believes them as long as they have an
    /// origin. Until then they promise nothing that is not there, only less.
    ///
    /// A power cut may undo this, but then also each later truncation of the file, so that they stay true.
    private mutating func leaveAttributes(of file: OpenFile) throws(FileSystemError) {
        let attributes = file.attributes
        do throws(ErrorNumber) {
            // An empty signature is not a record. But it shows the file's maker, which locks the file only now, that
            // another download has signed it.
            do throws(ErrorNumber) {
                try attributes.set(RecordField.origin.rawValue, to: "")
            } catch {
                try attributes.remove(RecordField.origin.rawValue)
            }
        } catch  where error.attributeFailure != .unsupported {
            throw FileSystemError(.record, file.path, code: error.code)
        } catch {}
        for field in RecordField.allCases where field != .origin { try? attributes.remove(field.rawValue) }
        medium = .sidecar
    }

    /// Moves the record of a whole file, which is short again, back into the attributes; false if it does not fit. The
    /// sidecar must stay until the file is synced: a power cut may undo this.
    mutating func returnToAttributes(of file: OpenFile) -> Bool {
        let attributes = file.attributes
        // The origin comes last: without it, a reader ignores the others.
        for field in RecordField.forNewFile {
            guard let text = record[field] else { continue }
            if (try? attributes.set(field.rawValue, to: text)) == nil { return false }
        }
        medium = .attributes
        return true
    }

    /// Truncates the file to `kept`, which is all filled. Lowers the record first, so that it never promises bytes that
    /// are gone. Removes the list if no gap remains.
    ///
    /// - Parameter isLonger: whether the file is longer than the kept bytes.
    mutating func cut(_ file: OpenFile, to kept: FilledRanges, isLonger: Bool) throws(FileSystemError) {
        var wanted = record
        wanted.filled = kept.hasGaps || record.filled != nil ? kept : nil
        // Until the file has no gaps, an older Spate must not trust it.
        let isList = wanted.filled != nil || record.durable?.isList ?? false
        wanted.durable = record.durable?.cut(to: kept, isList: isList)
        try update(to: wanted, of: file, durably: true)
        if isLonger { try file.resize(to: kept.end) }
        if kept.hasGaps { return }
        wanted = record
        wanted.dropList()
        try update(to: wanted, of: file, durably: true)
    }

    /// A longer list moves into a sidecar, even if an attribute had room for it: attributes are written for each block.
    private static let longestList = 4_096

    /// Sets or removes one attribute. False if a needed field did not fit: the record must go into a sidecar.
    private mutating func set(
        _ field: RecordField,
        of wanted: ResumeRecord,
        in attributes: any FileAttributes,
        of file: OpenFile
    ) throws(FileSystemError) -> Bool {
        let isList = field == .durable || field == .filled
        do throws(ErrorNumber) {
            if let text = wanted[field] {
                if isList, text.utf8.count > Self.longestList { return false }
                try attributes.set(field.rawValue, to: text)
            } else {
                try attributes.remove(field.rawValue)
            }
            record.take(field, from: wanted)
            return true
        } catch {
            if [.origin, .total, .joined, .document].contains(field) { return false }
            guard error.attributeFailure != .other else { throw FileSystemError(.record, file.path, code: error.code) }
            if isList { return false }
        }
        // The old value must not stay: the following bytes do not belong to it.
        do throws(ErrorNumber) {
            try attributes.remove(field.rawValue)
        } catch  where error.attributeFailure != .unsupported {
            throw FileSystemError(.record, file.path, code: error.code)
        } catch {}
        record[field] = nil
        return true
    }
}
