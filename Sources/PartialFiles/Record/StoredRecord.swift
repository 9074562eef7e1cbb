import ExtendedAttributes
import Glibc

/// A record as it stands on disk, and where: in the file's own attributes, or in a sidecar where these cannot hold it.
struct StoredRecord: Sendable {
    enum Medium: Sendable {
        case attributes, sidecar
    }

    /// What a reader would find now.
    private(set) var record = ResumeRecord()
    private(set) var medium = Medium.attributes

    /// Reads the record of `file`. What cannot be read is as good as none: nothing is done to a file without proof.
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
        } else if let sidecar = Sidecar(of: file) {
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

    /// Makes the record on disk `wanted`, with no more calls than it has changes. What does not fit is left out: see
    /// `record` for what stands.
    ///
    /// - Parameter durably: whether a sidecar must be on the medium on return. Attributes need no such thing: their
    ///   changes reach it in order with the file's own.
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
            // What got in before is taken out again, lest it be believed beside the sidecar.
            for field in RecordField.allCases { try? attributes.remove(field.rawValue) }
            // An empty signature: it is no record, but whoever made the file and locks it only now will see it.
            try? attributes.set(RecordField.origin.rawValue, to: "")
        } else if record == wanted {
            return
        }
        // The sidecar goes by name. Where that is no longer this file's, nobody will ask for its record again, and
        // the one that stands there may be a successor's.
        if try file.isStillNamed {
            try Sidecar(record: wanted).write(for: file.name, in: file.folder, on: platform, durably: durably)
        }
        record = wanted
    }

    /// Sets or removes one attribute. False where the record must go elsewhere, for lack of what it cannot do without.
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
        // The old value must not stay: it would speak for bytes that it does not belong to.
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
    /// Whether it says less than `other` does, and nothing else.
    fileprivate func isBelow(_ other: DurableMark?) -> Bool {
        guard let other else { return false }
        return boot != nil && boot == other.boot && offset <= other.offset
    }
}
