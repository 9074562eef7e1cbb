/// Changes to a reply's head. They happen in the order written: what came first may be undone by what comes next.
extension Reply {
    /// Sets a field, in its old place if it was there.
    package func replacingField(_ name: String, _ value: String) -> Reply {
        changingLines { lines in
            let place = lines.dropFirst().firstIndex { Self.line($0, isField: name) }
            if let place { lines[place] = "\(name): \(value)" } else { lines.append("\(name): \(value)") }
        }
    }

    package func removingField(_ name: String) -> Reply {
        changingLines { lines in
            lines = lines.prefix(1) + lines.dropFirst().filter { !Self.line($0, isField: name) }
        }
    }

    /// Adds a field after all others, even where it is there already.
    package func addingField(_ name: String, _ value: String) -> Reply {
        changingLines { $0.append("\(name): \(value)") }
    }

    /// Sends this status line, exactly, in place of the right one.
    package func replacingStatusLine(_ line: String) -> Reply {
        changingLines { $0[0] = line }
    }

    /// Sends these informational responses before the reply.
    package func interim(_ codes: [Int]) -> Reply {
        changing { $0.interim += codes }
    }

    /// Says `Connection: close` and does it.
    package var closing: Reply {
        var reply = replacingField("Connection", "close")
        reply.closes = true
        return reply
    }

    /// Leaves out Content-Length: the end of the connection is the end of the body.
    package var withoutLength: Reply {
        var reply = removingField("Content-Length")
        reply.closes = true
        return reply
    }

    /// Sends the body in chunks of this size, in place of Content-Length.
    package func chunked(size: Int = 16_384, trailers: KeyValuePairs<String, String> = [:]) -> Reply {
        precondition(size > 0, "a chunk has at least one byte")
        var reply = removingField("Content-Length").addingField("Transfer-Encoding", "chunked")
        reply.framing = .chunked(size: size, trailers: trailers.map { "\($0.key): \($0.value)" })
        return reply
    }

    /// The status in its status line; `nil` if it has none.
    package var status: Int? {
        guard case .lines(let lines) = head else { return nil }
        return lines.first.flatMap { Int($0.split(separator: " ").dropFirst().first ?? "") }
    }

    /// The body's length as the head gives it, right or wrong.
    package var contentLength: Int? {
        guard case .lines(let lines) = head else { return nil }
        let line = lines.dropFirst().first { Self.line($0, isField: "Content-Length") }
        return line.flatMap { Int($0.drop { $0 != ":" }.dropFirst().drop { $0 == " " }) }.map { max(0, $0) }
    }

    var trailers: [String] { if case .chunked(_, let trailers) = framing { trailers } else { [] } }

    func changing(_ change: (inout Reply) -> Void) -> Reply {
        var reply = self
        change(&reply)
        return reply
    }

    private func changingLines(_ change: (inout [String]) -> Void) -> Reply {
        guard case .lines(var lines) = head, !lines.isEmpty else {
            preconditionFailure("a raw reply has no head to change: write it as you want it")
        }
        change(&lines)
        return changing { $0.head = .lines(lines) }
    }

    private static func line(_ line: String, isField name: String) -> Bool {
        String(line.prefix { $0 != ":" }).isSameFieldName(as: name)
    }
}
