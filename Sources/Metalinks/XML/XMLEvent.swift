/// What an `XMLReader` reads next.
package enum XMLEvent: Hashable, Sendable {
    case start(XMLElement)
    /// Decoded, and never empty. The text of one element may come in several parts.
    case text(ArraySlice<UInt8>)
    /// The end of the element that started last and has not ended.
    case end
}

/// A start tag, with its namespaces resolved.
package struct XMLElement: Hashable, Sendable {
    /// Empty if the element is in no namespace.
    package let namespace: String
    /// Without its prefix.
    package let name: String
    /// Without declarations of namespaces.
    package let attributes: [XMLAttribute]

    /// The value of an attribute that is in no namespace.
    package subscript(attribute: String) -> String? {
        attributes.first { $0.name == attribute && $0.namespace.isEmpty }?.value
    }
}

package struct XMLAttribute: Hashable, Sendable {
    /// Empty if the attribute has no prefix.
    package let namespace: String
    /// Without its prefix.
    package let name: String
    package let value: String
}
