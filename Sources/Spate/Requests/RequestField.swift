import Foundation
import SpateFilePaths
import SpateQueueJournals

/// A field of a request besides its URL: how it is written, and what becomes of it when the request joins a download.
///
/// `all` lists every field once. `Documentation/RequestFields.md` is the same list for people.
struct RequestField: Sendable {
    /// The property of ``DownloadRequest``.
    let name: String
    /// `nil` if it is not encoded.
    var key: Key?
    var encode: @Sendable (DownloadRequest, inout KeyedEncodingContainer<Key>) throws -> Void = { _, _ in }
    var decode: @Sendable (KeyedDecodingContainer<Key>, inout DownloadRequest) throws -> Void = { _, _ in }
    /// The name of a field in the queue's journal, or the letters of an option; `nil` if it is not kept.
    var journalName: String?
    var write: @Sendable (Enqueued, inout JournalEntry) -> Void = { _, _ in }
    /// Throws if this version cannot read it.
    var read: @Sendable (JournalEntry, inout DownloadRequest) throws -> Void = { _, _ in }
    var joining = Joining.keepsFirst

    /// A journal does not store the path of its own folder.
    typealias Enqueued = (request: DownloadRequest, valid: ValidRequest, ownFolder: FilePath)

    struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// What becomes of another value when the request joins a download.
    enum Joining: Sendable {
        /// The first request's value counts.
        case keepsFirst
        /// It counts from now on.
        case takesEffect
        /// A conflict if all that is sent, or the file's place, is another: see `RequestDifferences`.
        case conflictOfWhole
        /// A conflict, named by this word. Of a download that was found on disk, only what is about its file counts.
        case conflict(String, Rule, isOfFile: Bool, @Sendable (JoiningRequest) -> Bool)
    }

    /// When two values are a conflict: if they differ at all, or only if one of the two requests has a value and the other
    /// has the default.
    enum Rule { case different, onlyWanted, onlyKnown }

    fileprivate static let standard = DownloadRequest(URL(fileURLWithPath: "/"))
}

/// Makes the field of a property. Its default is not written.
struct RequestProperty<Value: Equatable & Sendable> {
    private var field: RequestField
    private let get: @Sendable (DownloadRequest) -> Value
    private let set: @Sendable (inout DownloadRequest, Value) -> Void
    private let standard: Value

    // Key paths would cost a microsecond each.
    init(
        _ name: String,
        _ get: @escaping @Sendable (DownloadRequest) -> Value,
        _ set: @escaping @Sendable (inout DownloadRequest, Value) -> Void
    ) {
        (field, self.get, self.set, standard) = (RequestField(name: name), get, set, get(RequestField.standard))
    }

    func json() -> Self where Value: Codable {
        json { [get, standard] in
            let value = get($0)
            return value == standard ? nil : value
        }
    }

    func json(_ get: @escaping @Sendable (DownloadRequest) -> (some Encodable & Sendable)?) -> Self
    where Value: Decodable {
        json(as: field.name, get, set)
    }

    /// - Parameter get: returns `nil` for what is not written.
    func json<Read: Decodable & Sendable>(
        as name: String,
        _ get: @escaping @Sendable (DownloadRequest) -> (some Encodable & Sendable)?,
        _ set: @escaping @Sendable (inout DownloadRequest, Read) -> Void
    ) -> Self {
        let key = RequestField.Key(stringValue: name)
        var other = self
        other.field.key = key
        other.field.encode = { try $1.encodeIfPresent(get($0), forKey: key) }
        other.field.decode = { if let value = try $0.decodeIfPresent(Read.self, forKey: key) { set(&$1, value) } }
        return other
    }

    /// A field of the journal.
    func text<Wrapped: LosslessStringConvertible>(_ name: String) -> Self where Value == Wrapped? {
        text(name, { $0?.description }, { [set] in set(&$0, Wrapped($1)) })
    }

    func text(
        _ name: String,
        _ text: @escaping @Sendable (Value) -> String?,
        _ set: @escaping @Sendable (inout DownloadRequest, String) throws -> Void
    ) -> Self {
        journal(name) { [get, standard] in
            let value = get($0.request)
            if value != standard { $1[name] = text(value) }
        } read: {
            if let text = $0[name] { try set(&$1, text) }
        }
    }

    /// An option of the journal. The first letter also stands for values that have none.
    func options(_ letters: KeyValuePairs<Unicode.Scalar, Value>) -> Self {
        journal(letters.map { String($0.key) }.joined(separator: ", ")) { [get, standard] in
            let value = get($0.request)
            let letter = letters.first { $0.value == value } ?? letters.first
            if value != standard, let letter { $1.options.append(letter.key) }
        } read: { [set] in
            if let value = $0.value(of: letters) { set(&$1, value) }
        }
    }

    func journal(
        _ name: String,
        _ write: @escaping @Sendable (RequestField.Enqueued, inout JournalEntry) -> Void,
        read: @escaping @Sendable (JournalEntry, inout DownloadRequest) throws -> Void
    ) -> Self {
        var other = self
        (other.field.journalName, other.field.write, other.field.read) = (name, write, read)
        return other
    }

    func joining(_ joining: RequestField.Joining) -> RequestField {
        var field = field
        field.joining = joining
        return field
    }

    /// - Parameter isMet: whether the request gets what it asks for, though its value is another.
    func conflict(
        _ word: String,
        _ rule: RequestField.Rule = .different,
        isOfFile: Bool = false,
        unless isMet: @escaping @Sendable (JoiningRequest) -> Bool = { _ in false }
    ) -> RequestField {
        let isLost: @Sendable (JoiningRequest) -> Bool = { [get, standard] in
            let (known, wanted) = (get($0.known), get($0.wanted))
            let counts = rule == .different || (wanted == standard) == (rule == .onlyKnown)
            return known != wanted && counts && !isMet($0)
        }
        return joining(.conflict(word, rule, isOfFile: isOfFile, isLost))
    }
}
