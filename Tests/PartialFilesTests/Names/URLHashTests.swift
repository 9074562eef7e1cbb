import SpateHTTPResumption
import SpatePartialFiles
import Testing

@Suite struct URLHashTests {
    /// From the definition of FNV-1a. Later versions must find the files of earlier ones.
    @Test(arguments: [
        ("http://a/", "80f62ee31b629023"),
        ("https://example.com/file.zip", "2f5164120a67445b"),
    ])
    func theHashNeverChanges(text: String, digits: String) throws {
        let hash = URLHash(try url(text))
        #expect(hash.digits16 == digits)
        #expect(hash.digits8 == String(digits.prefix(8)))
    }

    @Test func smallHashesArePaddedWithZeros() throws {
        for number in 0..<2_000 {
            #expect(URLHash(try url("http://host/\(number)")).digits16.utf8.count == 16)
        }
    }
}
