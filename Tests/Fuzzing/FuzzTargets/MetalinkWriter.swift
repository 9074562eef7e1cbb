import SpateHTTPSyntax
import SpateMetalinks

/// Writes XML, to be read again.
enum MetalinkWriter {
    private static let xml = "http://www.w3.org/XML/1998/namespace"

    /// A document with these events. Each element declares its own namespaces.
    static func document(of events: [XMLEvent]) -> [UInt8] {
        var text: [UInt8] = []
        var open: [String] = []
        for event in events {
            switch event {
            case .start(let element):
                // This namespace has a prefix that nobody else may have, and only that.
                let isXML = element.namespace == xml
                open.append(isXML ? "xml:\(element.name)" : element.name)
                text += "<\(open.last ?? "") xmlns=\"\(isXML ? "" : escaped(element.namespace))\"".utf8
                for (index, attribute) in element.attributes.enumerated() {
                    let value = "\(attribute.name)=\"\(escaped(attribute.value))\""
                    if attribute.namespace.isEmpty {
                        text += " \(value)".utf8
                    } else if attribute.namespace == xml {
                        text += " xml:\(value)".utf8
                    } else {
                        text += " p\(index):\(value) xmlns:p\(index)=\"\(escaped(attribute.namespace))\"".utf8
                    }
                }
                text += ">".utf8
            case .text(let part): text += escaped(String(decoding: part, as: UTF8.self)).utf8
            case .end: text += "</\(open.removeLast())>".utf8
            }
        }
        return text
    }

    /// A Metalink 4 with these files.
    static func document(of files: [MetalinkFile]) -> [UInt8] {
        var text = "<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\">"
        for file in files {
            text += "<file name=\"\(escaped(file.name))\">"
            if let size = file.size { text += "<size>\(size)</size>" }
            for digest in file.digests {
                text += "<hash type=\"\(digest.algorithm)\">\(hexadecimal(digest.bytes[...]))</hash>"
            }
            if let pieces = file.pieces {
                text += "<pieces type=\"\(pieces.algorithm)\" length=\"\(pieces.length)\">"
                for piece in 0..<pieces.count { text += "<hash>\(hexadecimal(pieces.digest(of: piece)))</hash>" }
                text += "</pieces>"
            }
            for mirror in file.mirrors {
                let location = mirror.location.map { " location=\"\($0)\"" } ?? ""
                text += "<url priority=\"\(mirror.priority)\"\(location)>\(escaped(mirror.url.text))</url>"
            }
            text += "</file>"
        }
        return Array((text + "</metalink>").utf8)
    }

    private static func hexadecimal(_ bytes: ArraySlice<UInt8>) -> String {
        bytes.map { String(256 + Int($0), radix: 16).suffix(2) }.joined()
    }

    /// For a text or a quoted value.
    private static func escaped(_ text: String) -> String {
        var output = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<", ">", "&", "\"", "\n", "\r", "\t": output += "&#\(scalar.value);"
            default: output.unicodeScalars.append(scalar)
            }
        }
        return output
    }
}
