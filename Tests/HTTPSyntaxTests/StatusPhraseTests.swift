import Testing

@testable import SpateHTTPSyntax

@Suite struct StatusPhraseTests {
    @Test(arguments: [(404, "404 Not Found"), (503, "503 Service Unavailable"), (200, "200 OK")])
    func aRegisteredStatusHasItsWords(status: Int, text: String) {
        #expect(StatusPhrase.text(status) == text)
    }

    @Test(arguments: [0, 99, 299, 418, 499, 599, 999, -1]) func anotherHasNone(status: Int) {
        #expect(StatusPhrase.text(status) == nil)
    }
}
