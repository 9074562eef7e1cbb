import Spate

/// What the program tells besides errors of the library, wrong use, and how far things are.
struct Notice: Equatable {
    /// Every kind of it: the table of messages in the documentation has an example of each.
    enum Kind: String, CaseIterable, Sendable {
        case emptyList, nothingToFinish, nothingStored, nothingOfURL, cancelled, failure, remark
    }

    let kind: Kind
    let text: String

    static func emptyList(_ files: [String]) -> Notice {
        let names = files.map { $0 == "-" ? "standard input" : Address.oneLine($0) }.joined(separator: ", ")
        return Notice(kind: .emptyList, text: "There is no URL in \(names); put one on each line.")
    }

    static func nothingToFinish(in folder: String) -> Notice {
        Notice(
            kind: .nothingToFinish,
            text: "Nothing is left to finish in \(folder). For another folder, give --directory DIR."
        )
    }

    static func nothingStored(in folder: String) -> Notice {
        Notice(
            kind: .nothingStored,
            text: "Nothing of Spate's is in \(folder). For another folder, give --directory DIR."
        )
    }

    static func nothingOf(_ url: String, in folder: String) -> Notice {
        Notice(
            kind: .nothingOfURL,
            text: "spate: \(url): Nothing of it is in \(folder). To see what is, call spate status there."
        )
    }

    /// Cancelled by a key, while the others go on.
    static func cancelled(_ url: String) -> Notice {
        Notice(
            kind: .cancelled,
            text: "spate: \(url): The download was cancelled. To fetch it after all, run the same command again."
        )
    }

    /// A download, or a line of a list, that failed.
    static func failure(_ reason: String, of place: String? = nil) -> Notice {
        Notice(kind: .failure, text: "spate: \(place.map { "\($0): " } ?? "")\(Address.oneLine(reason))")
    }

    static func remark(_ url: String, _ remark: String) -> Notice {
        Notice(kind: .remark, text: "spate: note: \(url): \(Address.oneLine(remark))")
    }
}
