/// How much an `XMLReader` reads. A document beyond any of these is refused.
package struct XMLLimits: Hashable, Sendable {
    /// In bytes, as are all lengths.
    package var documentLength = 32 << 20
    package var depth = 32
    package var elements = 2 << 20
    /// Of one element. With the number of namespaces it limits the time for one element.
    package var attributes = 32
    /// Declared at any point of the document.
    package var namespaces = 16
    /// Of the text between two tags, and of the value of an attribute.
    package var textLength = 1 << 20
    package var nameLength = 256

    package init() {}
}
