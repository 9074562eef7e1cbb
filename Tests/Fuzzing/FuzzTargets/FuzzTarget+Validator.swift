import SpateHTTPResumption
import SpateHTTPSyntax

extension FuzzTarget {
    /// A line with a stored validator; a response's header lines.
    static let validator = FuzzTarget(name: "validator") { bytes throws(BrokenClaim) in
        var lines = InputLines(bytes)
        let stored = lines.nextText()
        let headLines = lines.remaining()
        let head = ResponseHead(status: 206, fields: HTTPFields(headLines))
        let plain = PlainFields(headLines)
        let held = EntityValidator(stored: stored)
        if let held {
            try require(held.text.utf8.elementsEqual(stored.utf8), "\(stored) is changed to \(held.text)")
            try checkMaySend(held)
        }
        if let named = EntityValidator(head: head) {
            try checkMaySend(named)
            try require(plain.gives(named), "\(named) is not what the response gives")
            try require(
                named.agreement(with: head) == (named.strong == nil ? .unknown : .same),
                "\(named) does not match its own response"
            )
            if let held, held == named {
                try require(held.text.utf8.elementsEqual(named.text.utf8), "validators with different bytes are equal")
            }
        }
        if let held { try checkAgreement(held, head, plain) }
    }

    /// Every strong validator can be sent as it is, and each is read back after storing.
    private static func checkMaySend(_ validator: EntityValidator) throws(BrokenClaim) {
        let text = validator.text
        try require(HTTPFields.maySend(name: "If-Range", value: text), "\(validator) breaks a request")
        try require(text.utf8.count <= EntityValidator.maximumLength, "\(text.utf8.count) bytes of validator")
        try require(text.hasPrefix("W/") == (validator.strong == nil), "a weak tag is sent")
        let again = EntityValidator(stored: text)
        try require(again == validator, "\(validator) is read back as \(String(describing: again))")
    }

    private static func checkAgreement(
        _ held: EntityValidator,
        _ head: ResponseHead,
        _ plain: PlainFields
    ) throws(BrokenClaim) {
        let isSame = plain.names(held)
        let agreement = held.agreement(with: head)
        try require(
            (agreement == .same) == isSame,
            "\(held) agrees with \(head.fields.values(of: "etag")): \(agreement)"
        )
    }
}

extension PlainFields {
    /// Whether these are the lines of a response of the entity with this strong validator, byte by byte.
    func names(_ validator: EntityValidator) -> Bool {
        switch validator {
        case .etag(let text): has(tag: text) && isOld ?? true
        case .lastModified(let text): modified == HTTPDate(text)
        case .weakTag: false
        }
    }

    /// Whether these lines give the entity this validator.
    func gives(_ validator: EntityValidator) -> Bool {
        switch validator {
        case .etag: names(validator)
        case .lastModified: names(validator) && isOld == true
        case .weakTag(let text): has(tag: text) || has(tag: String(text.dropFirst(2))) && isOld == false
        }
    }

    private func has(tag: String) -> Bool { Set(values(of: "etag")) == [Array(tag.utf8)] }

    /// Whether the entity was modified before the second of the response (RFC 9110, section 8.8.2.2); nil if the lines
    /// do not say when it was modified.
    private var isOld: Bool? {
        guard let modified else { return nil }
        let dates = Set(values(of: "date"))
        return dates.count == 1 && dates.allSatisfy { HTTPDate(PlainFields.text($0)).map { modified < $0 } ?? false }
    }

    private var modified: HTTPDate? {
        let values = Set(values(of: "last-modified"))
        guard values.count == 1, let value = values.first else { return nil }
        return HTTPDate(PlainFields.text(value))
    }
}
