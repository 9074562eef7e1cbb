import HTTPResumption

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
            try require(isStrong(named, in: plain), "\(named) is not strong")
            try require(named.agreement(with: head) == .same, "\(named) does not match its own response")
            if let held, held == named {
                try require(held.text.utf8.elementsEqual(named.text.utf8), "validators with different bytes are equal")
            }
        }
        if let held { try checkAgreement(held, head, plain) }
    }

    /// Every validator can be sent as it is, and is read back after storing.
    private static func checkMaySend(_ validator: EntityValidator) throws(BrokenClaim) {
        let text = validator.text
        try require(HTTPFields.maySend(name: "If-Range", value: text), "\(validator) breaks a request")
        try require(text.utf8.count <= EntityValidator.maximumLength, "\(text.utf8.count) bytes of validator")
        try require(!text.hasPrefix("W/"), "a weak tag is sent")
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

    /// RFC 9110, section 8.8.1, judged from the lines.
    private static func isStrong(_ validator: EntityValidator, in plain: PlainFields) -> Bool {
        guard plain.names(validator) else { return false }
        guard case .lastModified(let text) = validator else { return true }
        let dates = plain.values(of: "date").map { HTTPDate(PlainFields.text($0)) }
        guard let modified = HTTPDate(text), !dates.isEmpty else { return false }
        return dates.allSatisfy { $0.map { modified < $0 } ?? false }
    }
}

extension PlainFields {
    /// Whether the lines have exactly this strong validator, byte by byte.
    func names(_ validator: EntityValidator) -> Bool {
        switch validator {
        case .etag(let text):
            let values = Set(values(of: "etag"))
            return values == [Array(text.utf8)]
        case .lastModified(let text):
            let values = Set(values(of: "last-modified"))
            guard values.count == 1, let value = values.first, let held = HTTPDate(text) else { return false }
            return HTTPDate(PlainFields.text(value)) == held
        }
    }
}
