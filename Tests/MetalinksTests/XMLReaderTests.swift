import Testing

@testable import SpateMetalinks

@Suite struct XMLReaderTests {
    /// The events of a document: elements as `{namespace}name`, attributes as `{namespace}name=value`, text in
    /// parentheses, ends as `/`.
    static func events(of document: [UInt8], limits: XMLLimits = XMLLimits()) throws(XMLError) -> String {
        var reader = try XMLReader(document, limits: limits)
        var (parts, text): ([String], [UInt8]) = ([], [])
        func spelled(_ namespace: String, _ name: String) -> String {
            namespace.isEmpty ? name : "{\(namespace)}\(name)"
        }
        while let event = try reader.next() {
            if case .text(let part) = event {
                text += part
                continue
            }
            if !text.isEmpty { parts.append("(\(String(decoding: text, as: UTF8.self)))") }
            text = []
            guard case .start(let element) = event else {
                parts.append("/")
                continue
            }
            parts.append(spelled(element.namespace, element.name))
            parts += element.attributes.map { "\(spelled($0.namespace, $0.name))=\($0.value)" }
        }
        return parts.joined(separator: " ")
    }

    @Test(
        arguments: [
            // Tags.
            ("<a/>", "a /"), ("<a></a>", "a /"), ("<a ></a >", "a /"), ("<a\n/>", "a /"),
            ("<a><b/><c/></a>", "a b / c / /"),
            ("<a><a></a></a>", "a a / /"), ("\n <a/> \r\n\t", "a /"), ("<ä-1.ö·/>", "ä-1.ö· /"),
            // Attributes.
            ("<a b='1' c=\"2\"/>", "a b=1 c=2 /"), ("<a b = '>\"'/>", "a b=>\" /"), ("<a b=''></a>", "a b= /"),
            ("<a b='1\n2\t3\r\n4\r5'/>", "a b=1 2 3 4 5 /"), ("<a b='&#9;&#xa;&lt;&amp;lt;'/>", "a b=\t\n<&lt; /"),
            // Text.
            ("<a>b</a>", "a (b) /"), ("<a>b<c/>d</a>", "a (b) c / (d) /"), ("<a> </a>", "a ( ) /"),
            ("<a>&lt;&gt;&amp;&apos;&quot;</a>", "a (<>&'\") /"), ("<a>&#65;&#x42;&#x1f600;&#0067;</a>", "a (AB😀C) /"),
            ("<a>&#38;lt;</a>", "a (&lt;) /"), ("<a>1\r\n2\r3\n4&#13;</a>", "a (1\n2\n3\n4\r) /"),
            ("<a>]] > ]> ]]&gt; ></a>", "a (]] > ]> ]]> >) /"), ("<a>\u{7F}\u{FFFD}é</a>", "a (\u{7F}\u{FFFD}é) /"),
            // Sections, comments, instructions.
            ("<a><![CDATA[<b>&lt;]]]]></a>", "a (<b>&lt;]]) /"), ("<a>b<![CDATA[]]>c</a>", "a (bc) /"),
            ("<a><![CDATA[1\r\n2\r3]]>></a>", "a (1\n2\n3>) /"), ("<a>]]<![CDATA[]]>></a>", "a (]]>) /"),
            ("<!-- <b> & - --><a>b<!----><?c d?>e</a><?f?><!--g-->", "a (be) /"), ("<a><?b ? > ?></a>", "a /"),
            ("<?xml-stylesheet href='b'?><a/>", "a /"),
            // The declaration.
            ("<?xml version='1.0'?><a/>", "a /"), ("<?xml version=\"1.1\" encoding=\"us-ascii\" ?>\n<a/>", "a /"),
            ("<?xml version = '1.0' encoding = 'utf-8' standalone = 'no'?><a/>", "a /"),
            ("<?xml version='1.0' standalone='yes'?><a/>", "a /"), ("\u{FEFF}<?xml version='1.0'?><a/>", "a /"),
            ("\u{FEFF}<a/>", "a /"),
            // Namespaces.
            ("<a xmlns='u'><b c='1'/></a>", "{u}a {u}b c=1 / /"), ("<p:a xmlns:p='u' p:b='1'/>", "{u}a {u}b=1 /"),
            ("<a xmlns='u'><b xmlns=''/><c/></a>", "{u}a b / {u}c / /"),
            ("<p:a xmlns:p='u'><p:b xmlns:p='v'></p:b><p:c/></p:a>", "{u}a {v}b / {u}c / /"),
            ("<a xml:lang='de'/>", "a {http://www.w3.org/XML/1998/namespace}lang=de /"),
            ("<a b='1' p:b='2' xmlns:p='u'/>", "a b=1 {u}b=2 /"),
            ("<a xmlns='u' xmlns:p='u' b='1' p:b='2'/>", "{u}a b=1 {u}b=2 /"),
            ("<xml:a xmlns:xml='http://www.w3.org/XML/1998/namespace'/>", "{http://www.w3.org/XML/1998/namespace}a /"),
        ] as [(String, String)]
    )
    func documentsAreRead(document: String, expected: String) throws {
        #expect(try Self.events(of: Array(document.utf8)) == expected)
    }

    @Test(
        arguments: [
            // Tags.
            ("", .unexpectedEnd), ("  ", .unexpectedEnd), ("<!-- a -->", .unexpectedEnd), ("<", .unexpectedEnd),
            ("<a", .unexpectedEnd), ("<a ", .unexpectedEnd), ("<a>", .unexpectedEnd), ("<a></a", .unexpectedEnd),
            ("<a><b/>", .unexpectedEnd), ("<a></", .unexpectedEnd), ("<a/", .malformedTag), ("<a / >", .malformedName),
            ("<a></b>", .mismatchedTag("a")), ("<a><p:b></b></a>", .undeclaredPrefix("p")),
            ("<a></a b>", .malformedTag),
            ("<a xmlns:p='u'><p:b></b></a>", .mismatchedTag("p:b")), ("<a><b></a></b>", .mismatchedTag("b")),
            ("<a></a/>", .malformedTag), ("< a/>", .malformedName), ("<1/>", .malformedName), ("<-a/>", .malformedName),
            ("<×/>", .malformedName), ("<·a/>", .malformedName), ("<:a/>", .malformedName), ("<a:/>", .malformedName),
            ("<a:b:c/>", .malformedTag), ("<a></ a>", .malformedName), ("</a>", .contentOutsideRoot),
            ("<a<b/>", .malformedTag),
            // Attributes.
            ("<a b/>", .malformedTag), ("<a b=/>", .malformedTag), ("<a b=1/>", .malformedTag),
            ("<a b='1/>", .unexpectedEnd),
            ("<a b='1'c='2'/>", .malformedTag), ("<a b=\"<\"/>", .lessThanInAttribute),
            ("<a b='1' b='2'/>", .duplicateAttribute("b")),
            ("<a 'b'/>", .malformedName), ("<a b='&c;'/>", .invalidReference), ("<a b", .unexpectedEnd),
            ("<a b=", .unexpectedEnd),
            ("<a xmlns:p='u' xmlns:q='u' p:b='' q:b=''/>", .duplicateAttribute("b")),
            ("<a xmlns='u' xmlns='u'/>", .duplicateAttribute("xmlns")),
            // Text.
            ("<a>&</a>", .invalidReference), ("<a>&b;</a>", .invalidReference), ("<a>&amp</a>", .invalidReference),
            ("<a>&LT;</a>", .invalidReference), ("<a>&;</a>", .invalidReference), ("<a>&#;</a>", .invalidReference),
            ("<a>&#x;</a>", .invalidReference), ("<a>&#0;</a>", .invalidReference),
            ("<a>&#x1F;</a>", .invalidReference),
            ("<a>&#xD800;</a>", .invalidReference), ("<a>&#xFFFE;</a>", .invalidReference),
            ("<a>&#6A;</a>", .invalidReference),
            ("<a>&#x110000;</a>", .invalidReference), ("<a>&#99999999999999999999;</a>", .invalidReference),
            ("<a>&#X41;</a>", .invalidReference), ("<a>&#-1;</a>", .invalidReference),
            ("<a>&am<b/>p;</a>", .invalidReference),
            ("<a>]]></a>", .sectionEndInText), ("<a>b]]]></a>", .sectionEndInText), ("<a>\u{0}</a>", .invalidCharacter),
            ("<a>\u{1B}</a>", .invalidCharacter), ("<a>\u{FFFE}</a>", .invalidCharacter),
            ("<a>\u{FFFF}</a>", .invalidCharacter),
            // Markup.
            ("<!DOCTYPE html><html/>", .documentType), ("<a><!DOCTYPE b></a>", .documentType),
            ("<!ELEMENT a>", .malformedMarkup),
            ("<a><!-- -- --></a>", .malformedMarkup), ("<a><!-- b ---></a>", .malformedMarkup),
            ("<a><!-- b", .unexpectedEnd),
            ("<a><!- b --></a>", .malformedMarkup), ("<a><![CDATA[b]]</a>", .unexpectedEnd),
            ("<a><![cdata[b]]></a>", .malformedMarkup),
            ("<a><?b</a>", .malformedMarkup), ("<a><?b </a>", .unexpectedEnd), ("<a><??></a>", .malformedName),
            ("<a><?b:c?></a>", .malformedMarkup),
            ("<a/><b/>", .contentOutsideRoot), ("<a/>b", .contentOutsideRoot), ("b<a/>", .contentOutsideRoot),
            (">", .contentOutsideRoot),
            ("<a/>&#32;", .contentOutsideRoot), ("<![CDATA[]]><a/>", .contentOutsideRoot),
            ("<a/></a>", .contentOutsideRoot),
            // The declaration.
            ("<a/><?xml version='1.0'?>", .malformedDeclaration), (" <?xml version='1.0'?><a/>", .malformedDeclaration),
            ("<?XML version='1.0'?><a/>", .malformedDeclaration), ("<?xml?><a/>", .malformedDeclaration),
            ("<?xml encoding='utf-8'?><a/>", .malformedDeclaration),
            ("<?xml version='2.0'?><a/>", .malformedDeclaration),
            ("<?xml version='1.'?><a/>", .malformedDeclaration), ("<?xml version=1.0?><a/>", .malformedDeclaration),
            ("<?xml version='1.0'encoding='utf-8'?><a/>", .malformedDeclaration),
            ("<?xml version='1.0' standalone='maybe'?><a/>", .malformedDeclaration),
            ("<?xml version='1.0' standalone='yes' encoding='utf-8'?><a/>", .malformedDeclaration),
            ("<?xml version='1.0' encoding='a b'?><a/>", .malformedDeclaration),
            ("<?xml version='1.0'", .unexpectedEnd),
            ("<?xml version='1.0' encoding='ISO-8859-1'?><a/>", .unsupportedEncoding("ISO-8859-1")),
            ("<?xml version='1.0' encoding='UTF-16'?><a/>", .unsupportedEncoding("UTF-16")),
            // Namespaces.
            ("<p:a/>", .undeclaredPrefix("p")), ("<a p:b=''/>", .undeclaredPrefix("p")),
            ("<xmlns:a/>", .undeclaredPrefix("xmlns")),
            ("<a><b xmlns:p='u'/><p:c/></a>", .undeclaredPrefix("p")), ("<a xmlns:p=''/>", .invalidNamespace),
            ("<a xmlns:xmlns='u'/>", .invalidNamespace), ("<a xmlns:xml='u'/>", .invalidNamespace),
            ("<a xmlns='http://www.w3.org/2000/xmlns/'/>", .invalidNamespace),
            ("<a xmlns:p='http://www.w3.org/XML/1998/namespace'/>", .invalidNamespace),
        ] as [(String, XMLError.Fault)]
    )
    func whatIsNotXMLIsRefused(document: String, fault: XMLError.Fault) {
        #expect(throws: XMLError(fault: fault, line: 1)) { try Self.events(of: Array(document.utf8)) }
    }

    @Test(
        arguments: [[0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x80]] as [[UInt8]]
    )
    func bytesThatAreNotUTF8AreRefused(bytes: [UInt8]) {
        for (start, end) in [("<a>", "</a>"), ("<a b='", "'/>"), ("<!--", "--><a/>"), ("<", "/>")] {
            #expect(throws: XMLError(fault: .notUTF8, line: 2)) {
                try Self.events(of: Array("\n\(start)".utf8) + bytes + Array(end.utf8))
            }
        }
    }

    @Test func otherEncodingsAreRefused() {
        for document in [[0xFE, 0xFF, 0x00, 0x3C, 0x00, 0x61], [0xFF, 0xFE, 0x3C, 0x00, 0x61, 0x00]] as [[UInt8]] {
            #expect(throws: XMLError(fault: .notUTF8, line: 1)) { try Self.events(of: document) }
        }
    }

    @Test(
        arguments: [
            ("<a>\n\n</b>\n</a>", 3), ("<a>\r\n\r\n&b;</a>", 3), ("<a>\n\n<b\n\n c='&d;'/></a>", 5), ("<a>\n", 2),
            ("<a/>\n\n b", 1), ("\n<a\n b=''\n b=''/>", 4), ("<a>\n<p:b\n\n/></a>", 2), ("<a>\n]]>\n</a>", 2),
            ("<a>\n\u{1}</a>", 2), ("\n<!DOCTYPE a><a/>", 2), ("<?xml version='1.0'\nencoding='utf-7'?><a/>", 2),
        ] as [(String, Int)]
    )
    func anErrorNamesItsLine(document: String, line: Int) throws {
        let error = try #require(throws: XMLError.self) { try Self.events(of: Array(document.utf8)) }
        #expect(error.line == line, "\(error)")
    }

    /// A document, its limit, and the error if the limit is lower by one.
    @Test(
        arguments: [
            ("<a><b/></a>", \.documentLength, 11, .tooLong),
            ("<a><b/><b/></a>", \.depth, 2, .tooDeep),
            ("<a><b/><b/></a>", \.elements, 3, .tooManyElements),
            ("<a b='' c=''/>", \.attributes, 2, .tooManyAttributes),
            ("<a xmlns='u'><b xmlns='u'/><b xmlns='u'/></a>", \.namespaces, 2, .tooManyNamespaces),
            ("<a>123<!---->45<![CDATA[6]]><b>123456</b>123456</a>", \.textLength, 6, .textTooLong),
            ("<a b='123'/>", \.textLength, 3, .textTooLong),
            ("<abc>d</abc>", \.nameLength, 3, .nameTooLong),
        ] as [(String, any WritableKeyPath<XMLLimits, Int> & Sendable, Int, XMLError.Fault)]
    )
    func documentsHaveLimits(
        document: String,
        limit: any WritableKeyPath<XMLLimits, Int> & Sendable,
        most: Int,
        fault: XMLError.Fault
    ) throws {
        var limits = XMLLimits()
        limits[keyPath: limit] = most
        #expect(throws: Never.self) { try Self.events(of: Array(document.utf8), limits: limits) }
        limits[keyPath: limit] = most - 1
        #expect(throws: XMLError(fault: fault, line: 1)) { try Self.events(of: Array(document.utf8), limits: limits) }
    }

    @Test func aDeepDocumentIsRefusedWithoutReadingItAll() {
        let deep = Array(String(repeating: "<a>", count: 1_000_000).utf8)
        #expect(throws: XMLError(fault: .tooDeep, line: 1)) { try Self.events(of: deep) }
    }

    @Test func anElementIsSkippedToItsEnd() throws {
        var reader = try XMLReader(Array("<a><b><c/>1<b>2</b></b><d/></a>".utf8))
        for _ in 0..<2 { _ = try reader.next() }
        try reader.skipElement()
        #expect(try reader.next() == .start(XMLElement(namespace: "", name: "d", attributes: [])))
        try reader.skipElement()
        #expect(try reader.next() == .end)
        #expect(try reader.next() == nil)
    }
}
