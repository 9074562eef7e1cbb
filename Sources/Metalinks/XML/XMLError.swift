/// Why an `XMLReader` refuses a document, and where.
package struct XMLError: Error, Hashable, Sendable {
    package enum Fault: Hashable, Sendable {
        // Beyond the limits.
        case tooLong
        case tooDeep
        case tooManyElements
        case tooManyAttributes
        case tooManyNamespaces
        case textTooLong
        case nameTooLong
        // Not supported.
        case unsupportedEncoding(String)
        case documentType
        // Not XML.
        case notUTF8
        case invalidCharacter
        case malformedDeclaration
        case malformedTag
        case malformedMarkup
        case malformedName
        case mismatchedTag(String)
        case duplicateAttribute(String)
        case lessThanInAttribute
        case invalidReference
        case sectionEndInText
        case undeclaredPrefix(String)
        case invalidNamespace
        case contentOutsideRoot
        case unexpectedEnd
    }

    package let fault: Fault
    /// The first line is 1.
    package let line: Int
}

extension XMLError.Fault: CustomStringConvertible {
    package var description: String {
        switch self {
        case .tooLong: "the document is too long"
        case .tooDeep: "the elements are nested too deeply"
        case .tooManyElements: "there are too many elements"
        case .tooManyAttributes: "the element has too many attributes"
        case .tooManyNamespaces: "too many namespaces are declared"
        case .textTooLong: "the text is too long"
        case .nameTooLong: "the name is too long"
        case .unsupportedEncoding(let name): "the encoding \(name) is not supported, only UTF-8 is"
        case .documentType: "a document type (<!DOCTYPE) is not supported"
        case .notUTF8: "the text is not UTF-8"
        case .invalidCharacter: "XML does not allow this character"
        case .malformedDeclaration: "the XML declaration is malformed"
        case .malformedTag: "the tag is malformed"
        case .malformedMarkup: "the markup is malformed"
        case .malformedName: "a name is missing or malformed"
        case .mismatchedTag(let name): "this is not the end of the element \"\(name)\""
        case .duplicateAttribute(let name): "the element has the attribute \"\(name)\" twice"
        case .lessThanInAttribute: "there is a \"<\" in the value of an attribute"
        case .invalidReference: "a \"&\" begins no character or known entity"
        case .sectionEndInText: "there is a \"]]>\" in the text"
        case .undeclaredPrefix(let prefix): "the prefix \"\(prefix)\" is not declared"
        case .invalidNamespace: "this namespace cannot be declared"
        case .contentOutsideRoot: "there is content outside the root element"
        case .unexpectedEnd: "the document ends too early"
        }
    }
}
