import SpateHTTPSyntax
import Testing

@testable import SpateMetalinks

@Suite struct MetalinkTests {
    private static let md5 = "d41d8cd98f00b204e9800998ecf8427e"
    private static let sha1 = "da39a3ee5e6b4b0d3255bfef95601890afd80709"

    @Test(
        arguments: [
            ("<a/>", .notAMetalink, 1), ("<metalink/>", .notAMetalink, 1),
            ("\n<metalink xmlns='http://www.metalinker.org'/>", .notAMetalink, 2),
            ("<b xmlns='urn:ietf:params:xml:ns:metalink'/>", .notAMetalink, 1), ("", .xml(.unexpectedEnd), 1),
            ("<!DOCTYPE html>\n<html></html>", .xml(.documentType), 1), ("{}", .xml(.contentOutsideRoot), 1),
            (MetalinkText.four("\n<file/>"), .missingName, 2), (MetalinkText.four("<file name=''/>"), .missingName, 1),
            (MetalinkText.four("<file name='a'/>\n<file name='&#97;'/>"), .duplicateName("a"), 2),
            (MetalinkText.four("<file name='a'>\n</size></file>"), .xml(.mismatchedTag("file")), 2),
            (MetalinkText.four("<b>\n&c;</b>"), .xml(.invalidReference), 2),
            (MetalinkText.four("") + "<a/>", .xml(.contentOutsideRoot), 1),
        ] as [(String, MetalinkError.Fault, Int)]
    )
    func whatIsNoMetalinkIsRefused(document: String, fault: MetalinkError.Fault, line: Int) {
        #expect(throws: MetalinkError(fault: fault, line: line)) { try Metalink(document) }
    }

    @Test func aMetalinkMayHaveNoFiles() throws {
        let metalink = try Metalink(MetalinkText.four("<!-- not found -->"))
        #expect(metalink.files.isEmpty && metalink.origin == nil && !metalink.isDynamic)
        #expect(try Metalink(MetalinkText.three("")).files.isEmpty)
    }

    @Test func prefixesOfNamespacesChangeNothing() throws {
        let plain = MetalinkText.four("<file name='a'><size>1</size><url>http://b/c</url></file>")
        let prefixed = """
            <m:metalink xmlns:m='urn:ietf:params:xml:ns:metalink'><m:file name='a'><m:size>1</m:size>\
            <size>2</size><m:url>http://b/c</m:url></m:file></m:metalink>
            """
        #expect(try Metalink(prefixed) == Metalink(plain))
    }

    @Test(
        arguments: [
            ("<origin dynamic='true'> http://a/b </origin>", "http://a/b", true),
            ("<origin>http://a/b</origin>", "http://a/b", false),
            ("<origin dynamic='1'>ftp://a/b</origin>", nil, true), ("<origin dynamic='false'/>", nil, false),
            ("<origin>http://a/b</origin><origin>http://a/c</origin>", "http://a/b", false),
            ("<origin>http://<b/>a/b</origin>", "http://a/b", false),
            ("<x><origin>http://a/b</origin></x>", nil, false),
        ] as [(String, String?, Bool)]
    )
    func theOriginIsRead(element: String, origin: String?, isDynamic: Bool) throws {
        let metalink = try Metalink(MetalinkText.four(element))
        #expect(metalink.origin?.text == origin && metalink.isDynamic == isDynamic)
    }

    @Test func theOriginOfMetalink3IsAnAttribute() throws {
        let metalink = try Metalink(MetalinkText.three("", attributes: " origin='http://a/b' type='static'"))
        #expect(metalink.origin?.text == "http://a/b" && !metalink.isDynamic)
        #expect(try Metalink(MetalinkText.three("", attributes: " type='dynamic'")).isDynamic)
        let other = "<metalink xmlns='urn:ietf:params:xml:ns:metalink' origin='http://a/b' type='dynamic'/>"
        let four = try Metalink(other)
        #expect(four.origin == nil && !four.isDynamic)
    }

    @Test func filesKeepTheirOrderAndTheirNames() throws {
        let names = ["b/c", "a", "../d", "e &amp; f ", "é", "e\u{301}"]
        let files = names.map { "<file name=\"\($0)\"/>" }.joined()
        let expected = ["b/c", "a", "../d", "e & f ", "é", "e\u{301}"].map { Array($0.utf8) }
        #expect(try Metalink(MetalinkText.four(files)).files.map { Array($0.name.utf8) } == expected)
        // Only Metalink 4 forbids it.
        let twice = try Metalink(MetalinkText.three("<file name='a'/><file name='a'/>"))
        #expect(twice.files.map(\.name) == ["a", "a"])
    }

    @Test(
        arguments: [
            ("<size>0</size>", 0, []), ("<size>\n 12\t</size>", 12, []), ("<size>1<!-- -->2</size>", 12, []),
            ("<size><![CDATA[12]]></size>", 12, []), ("<size>9223372036854775807</size>", .max, []), ("", nil, []),
            ("<size>7</size><size>7</size>", 7, []), ("<x:size xmlns:x='u'>7</x:size>", nil, []),
            ("<size/>", nil, [.unusableSize]), ("<size>-1</size>", nil, [.unusableSize]),
            ("<size>+1</size>", nil, [.unusableSize]),
            ("<size>1 2</size>", nil, [.unusableSize]), ("<size>0x1</size>", nil, [.unusableSize]),
            ("<size>07</size>", nil, [.unusableSize]),
            ("<size>9223372036854775808</size>", nil, [.unusableSize]), ("<size>1.0</size>", nil, [.unusableSize]),
            ("<size>7</size><size>8</size>", nil, [.unusableSize]),
            ("<size>7</size><size>x</size>", nil, [.unusableSize]),
        ] as [(String, Int64?, [MetalinkRemark])]
    )
    func aSizeIsDigitsAlone(elements: String, size: Int64?, remarks: [MetalinkRemark]) throws {
        for file in [try MetalinkFile(four: elements), try MetalinkFile(three: elements)] {
            #expect(file.size == size && file.remarks == remarks)
        }
    }

    @Test(
        arguments: [
            ("<hash type='md5'>\(md5)</hash><hash type='sha-1'> \(sha1)\n</hash>", ["sha1:\(sha1)", "md5:\(md5)"], []),
            ("<hash type='sha1'>\(sha1.uppercased())</hash>", ["sha1:\(sha1)"], []),
            ("<hash type='MD5'>\(md5)</hash>", ["md5:\(md5)"], []),
            ("<hash type='md5'>\(md5)</hash><hash type='md5'>\(md5)</hash>", ["md5:\(md5)"], []),
            // Unknown.
            ("<hash type='sha-384'>\(sha1)</hash><hash type='btih'>\(sha1)</hash><hash>\(md5)</hash>", [], []),
            (
                "<hash type='md-5'>\(md5)</hash><hash type='sha--1'>\(sha1)</hash><hash type=' md5'>\(md5)</hash>", [],
                []
            ),
            // Not certain.
            ("<hash type='md5'>\(md5.dropLast())</hash>", [], [.unusableDigest(.md5)]),
            ("<hash type='md5'>\(md5)0</hash>", [], [.unusableDigest(.md5)]),
            ("<hash type='md5'/>", [], [.unusableDigest(.md5)]),
            ("<hash type='md5'>\(md5.dropLast())g</hash>", [], [.unusableDigest(.md5)]),
            ("<hash type='sha-1'>\(md5)</hash>", [], [.unusableDigest(.sha1)]),
            (
                "<hash type='md5'>\(md5)</hash><hash type='md5'>\(md5.reversed().map(String.init).joined())</hash>", [],
                [.unusableDigest(.md5)]
            ),
        ] as [(String, [String], [MetalinkRemark])]
    )
    func digestsAreRead(elements: String, expected: [String], remarks: [MetalinkRemark]) throws {
        for file in [try MetalinkFile(four: elements), try MetalinkFile(three: "", verification: elements)] {
            #expect(file.digests.map(\.text) == expected && file.remarks == remarks)
        }
    }

    @Test(arguments: MetalinkDigest.Algorithm.allCases)
    func everyKnownAlgorithmIsReadByBothNames(algorithm: MetalinkDigest.Algorithm) throws {
        let digits = String(repeating: "a0", count: algorithm.length)
        for name in [algorithm.rawValue, algorithm.rawValue.replacing("sha", with: "sha-")] {
            let file = try MetalinkFile(four: "<hash type='\(name)'>\(digits)</hash>")
            #expect(file.digests.map(\.text) == ["\(algorithm):\(digits)"])
        }
        #expect(MetalinkDigest.Algorithm.allCases == MetalinkDigest.Algorithm.allCases.sorted())
    }

    @Test(
        arguments: [
            ("<url>http://a/b</url>", ["999999 - http://a/b"]),
            ("<url> HTTPS://A:443/b c </url>", ["999999 - https://a/b%20c"]),
            ("<url>http://a/?b&amp;c</url>", ["999999 - http://a/?b&c"]),
            ("<url><![CDATA[http://a/?b&c]]></url>", ["999999 - http://a/?b&c"]),
            (
                """
                <url priority='2'>http://a/</url><url>http://b/</url><url priority='1'>http://c/</url>
                <url priority='2'>http://d/</url>
                """,
                ["1 - http://c/", "2 - http://a/", "2 - http://d/", "999999 - http://b/"]
            ),
            ("<url priority='2'>http://a/</url><url priority='1' location='DE'>http://A/</url>", ["1 de http://a/"]),
            ("<url priority='999999'>http://a/</url>", ["999999 - http://a/"]),
            ("<url priority='0'>http://a/</url>", ["999999 - http://a/"]),
            ("<url priority='1000000'>http://a/</url>", ["999999 - http://a/"]),
            ("<url priority='x'>http://a/</url>", ["999999 - http://a/"]),
            ("<url location='deu'>http://a/</url>", ["999999 - http://a/"]),
            ("<url location='d1'>http://a/</url>", ["999999 - http://a/"]),
            ("<url location='ä'>http://a/</url>", ["999999 - http://a/"]),
            ("<url preference='1'>http://a/</url>", ["999999 - http://a/"]),
            ("<x:url xmlns:x='u'>http://a/</x:url><x><url>http://b/</url></x>", []), ("", []),
        ] as [(String, [String])]
    )
    func mirrorsAreOrderedByPriority(elements: String, expected: [String]) throws {
        let file = try MetalinkFile(four: elements)
        #expect(file.mirrors.map { "\($0.priority) \($0.location ?? "-") \($0.url)" } == expected)
        #expect(file.remarks.isEmpty)
    }

    @Test(
        arguments: [
            (
                """
                <url preference='10'>http://a/</url><url>http://b/</url>
                <url preference='100' type='http'>http://c/</url>
                """,
                ["1 http://c/", "91 http://a/", "999999 http://b/"]
            ),
            ("<url preference='0'>http://a/</url>", ["101 http://a/"]),
            ("<url preference='101'>http://a/</url>", ["999999 http://a/"]),
            ("<url priority='1'>http://a/</url>", ["999999 http://a/"]),
            ("<url preference='-1'>http://a/</url>", ["999999 http://a/"]),
        ] as [(String, [String])]
    )
    func aHigherPreferenceOfMetalink3ComesFirst(resources: String, expected: [String]) throws {
        let file = try MetalinkFile(three: "", resources: resources)
        #expect(file.mirrors.map { "\($0.priority) \($0.url)" } == expected)
    }

    @Test(
        arguments: [
            ("<url>ftp://a/</url><url>rsync://a/</url><url>http://b/</url>", [.unusableURLs(2)]),
            ("<url/>", [.unusableURLs(1)]), ("<url>b/c</url>", [.unusableURLs(1)]),
            ("<url>http:///c</url>", [.unusableURLs(1)]),
            ("<url>http://a/\u{A0}\n b</url>", [.unusableURLs(1)]),
            ("<metaurl mediatype='torrent'>http://a/</metaurl>", [.skippedMetaURLs(1)]),
            ("<url>magnet:?x</url><metaurl>http://a/</metaurl><metaurl/>", [.unusableURLs(1), .skippedMetaURLs(2)]),
        ] as [(String, [MetalinkRemark])]
    )
    func otherURLsAreCounted(elements: String, remarks: [MetalinkRemark]) throws {
        let file = try MetalinkFile(four: elements)
        #expect(file.remarks == remarks)
        #expect(file.mirrors.map(\.url.text) == (elements.contains("http://b/") ? ["http://b/"] : []))
    }

    @Test func aTorrentOfMetalink3IsNoMirror() throws {
        let file = try MetalinkFile(three: "", resources: "<url type='bittorrent'>http://a/b.torrent</url>")
        #expect(file.mirrors.isEmpty && file.remarks == [.skippedMetaURLs(1)])
    }

    @Test func aSignatureIsNoted() throws {
        #expect(try MetalinkFile(four: "<signature mediatype='a/b'>c</signature>").hasSignature)
        #expect(try MetalinkFile(three: "", verification: "<signature type='pgp'/>").hasSignature)
        #expect(try !MetalinkFile(four: "<x><signature/></x>").hasSignature)
    }

    @Test func elementsOfTheOtherVersionAreSkipped() throws {
        let elements = "<hash type='md5'>\(Self.md5)</hash><url>http://a/</url><signature/><metaurl/>"
        let four = try MetalinkFile(four: "<verification>\(elements)</verification><resources>\(elements)</resources>")
        #expect(try four == MetalinkFile(four: ""))
        let three = try MetalinkFile(
            three: elements,
            verification: "<url>http://a/</url><size>1</size>",
            resources: elements
        )
        #expect(three.mirrors.map(\.url.text) == ["http://a/"])
        #expect(three.digests.isEmpty && !three.hasSignature && three.size == nil && three.remarks.isEmpty)
    }

    @Test(
        arguments: [
            (4, \.files, 2, nil), (4, \.files, 1, .tooManyFiles), (4, \.urlsOfOneFile, 2, nil),
            (4, \.urlsOfOneFile, 1, .tooManyURLs), (4, \.pieces, 4, nil),
            (4, \.pieces, 3, .tooManyPieces),
            (3, \.files, 1, .tooManyFiles), (3, \.urlsOfOneFile, 1, .tooManyURLs),
            (3, \.pieces, 3, .tooManyPieces),
            (4, \.pieceLists, 1, nil), (4, \.pieceLists, 0, .tooManyPieces), (4, \.xml.depth, 4, nil),
            (4, \.xml.depth, 3, .xml(.tooDeep)),
        ] as [(Int, any WritableKeyPath<MetalinkLimits, Int> & Sendable, Int, MetalinkError.Fault?)]
    )
    func metalinksHaveLimits(
        version: Int,
        limit: any WritableKeyPath<MetalinkLimits, Int> & Sendable,
        most: Int,
        fault: MetalinkError.Fault?
    ) throws {
        // Also what is of no use counts.
        let urls = "<url>http://a/</url><url>ftp://a/</url>"
        let pieces = "<pieces type='md5' length='x'><hash/><hash/></pieces>"
        let document =
            version == 4
            ? MetalinkText.four(["a", "b"].map { "<file name='\($0)'>\(urls)\(pieces)</file>" }.joined())
            : MetalinkText.three(
                String(
                    repeating:
                        "<file name='a'><verification>\(pieces)</verification><resources>\(urls)</resources></file>",
                    count: 2
                )
            )
        var limits = MetalinkLimits()
        limits[keyPath: limit] = most
        if let fault {
            #expect(throws: MetalinkError(fault: fault, line: 1)) { try Metalink(document, limits: limits) }
        } else {
            #expect(try Metalink(document, limits: limits).files.count == 2)
        }
    }
}
