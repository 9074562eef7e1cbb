import ExtendedAttributes
import Glibc

/// A record on disk: in the file's attributes, or in a sidecar if they cannot hold it.
struct StoredRecord: Sendable {
    enum Medium: Sendable {
        case attributes, sidecar
    }

    /// What a reader finds now.
    private(set) var record = ResumeRecord()
    private(set) var medium = Medium.attributes

    /// Reads the record of `file`. One that cannot be read is empty, and then nobody touches the file.
    init(of file: OpenFile, on platform: Platform) {
        let attributes = platform.attributes(file.descriptor)
        do throws(ExtendedAttributeError) {
            record[.origin] = try attributes.text(of: RecordField.origin.rawValue)
        } catch {
            if error.kind == .unsupported { medium = .sidecar }
        }
        if record.origin != nil {
            for field in RecordField.allCases where field != .origin {
                record[field] = (try? attributes.text(of: field.rawValue)) ?? nil
            }
        } else if let sidecar = Sidecar(of: file, on: platform) {
            record = sidecar.record
            medium = .sidecar
        }
    }

    /// Signs a file that was made a moment ago with its origin. nil if another download was quicker: the file may be
    /// published or deleted by now.
    init?(signing file: OpenFile, as origin: String, on platform: Platform) throws(FileSystemError) {
        if let isSigned = try? platform.attributes(file.descriptor).add(RecordField.origin.rawValue, origin) {
            if !isSigned { return nil }
            record.origin = origin
            return
        }
        // A sidecar is not part of the file, so it cannot tell us that another download signed first. Check that the
        // file is as we made it.
        let status = try file.status()
        guard status.size == 0, status.linkCount == 1, try file.isStillNamed(as: status.identity) else { return nil }
        try update(to: ResumeRecord(origin: origin), of: file, on: platform)
    }

    /// Writes the changes to disk. A field that does not fit is left out: `record` has the result.
    ///
    /// - Parameter durably: whether a sidecar is synced. Attributes are not: the next sync of the file writes them.
    mutating func update(
        to wanted: ResumeRecord,
        of file: OpenFile,
        on platform: Platform,
        durably: Bool = false
    ) throws(FileSystemError) {
        if medium == .attributes {
            let attributes = platform.attributes(file.descriptor)
            for field in RecordField.allCases where !record.agrees(with: wanted, in: field) {
                guard try set(field, of: wanted, in: attributes, of: file) else {
                    medium = .sidecar
                    break
                }
            }
            if medium == .attributes { return }
            // Remove the attributes that did fit: they would contradict the sidecar.
            for field in RecordField.allCases { try? attributes.remove(field.rawValue) }
            // An empty signature is not a record. But the download that made the file, and locks it only now, sees that
            // another has signed it.
            try? attributes.set(RecordField.origin.rawValue, to: "")
        } else if record == wanted {
            return
        }
        // A sidecar belongs to a name. If the file has lost its name, the sidecar may be its successor's.
        if try file.isStillNamed {
            try Sidecar(record: wanted).write(for: file.name, in: file.folder, on: platform, durably: durably)
        }
        record = wanted
    }

    /// Sets or removes one attribute. False if the record must go into a sidecar, since an essential field did not fit.
    private mutating func set(
        _ field: RecordField,
        of wanted: ResumeRecord,
        in attributes: any FileAttributes,
        of file: OpenFile
    ) throws(FileSystemError) -> Bool {
        do throws(ExtendedAttributeError) {
            if let text = wanted[field] {
                try attributes.set(field.rawValue, to: text)
            } else {
                try attributes.remove(field.rawValue)
            }
            record.take(field, from: wanted)
            return true
        } catch {
            if field == .origin || field == .total { return false }
            guard error.kind != .other else { throw FileSystemError(.record, file.path, code: error.code) }
            if field == .durable, record.durable?.isBelow(wanted.durable) ?? false { return true }
        }
        // The old value must not stay: the bytes that follow do not belong to it.
        do throws(ExtendedAttributeError) {
            try attributes.remove(field.rawValue)
        } catch  where error.kind == .other {
            throw FileSystemError(.record, file.path, code: error.code)
        } catch {}
        record[field] = nil
        return true
    }
}

extension DurableMark {
    /// Whether it is the same mark as `other`, or an earlier one.
    fileprivate func isBelow(_ other: DurableMark?) -> Bool {
        guard let other else { return false }
        return boot != nil && boot == other.boot && offset <= other.offset
    }
}
