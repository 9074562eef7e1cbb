import SpateHTTPSyntax
import Testing

@Suite struct IPAddressTests {
    @Test(arguments: ["1.2.3.4", "::", "2001:db8::1", "fe80::a"]) func aTextIsReadAndWritten(text: String) {
        #expect(IPAddress(text)?.description == text)
    }

    /// What other parsers take for an address is a name here.
    @Test(
        arguments: [
            "", "1.2.3", "127.1", "0x7f000001", "2130706433", "01.2.3.4", "1.2.3.256", "[::1]", "fe80::1%lo",
            "1.2.3.4/8",
        ]
    ) func nothingElseIsAnAddress(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test func aMappedAddressIsTheOneThatItStandsFor() {
        for (text, other) in [
            ("::ffff:1.2.3.4", "1.2.3.4"), ("::FFFF:102:304", "1.2.3.4"), ("::1.2.3.4", "::1.2.3.4"),
            ("1.2.3.4", "1.2.3.4"),
        ] {
            #expect(IPAddress(text)?.unmapped.description == other)
        }
    }

    @Test(
        arguments: [
            ("10.1.2.0/24", "10.1.2.255", "10.1.3.0"), ("10.1.2.3/24", "10.1.2.0", "10.1.1.255"),
            ("10.1.2.3", "10.1.2.3", "10.1.2.2"), ("0.0.0.0/0", "255.0.0.1", "::"), ("fd00::/8", "fdff::1", "fc00::1"),
            ("::1", "::1", "::2"), ("2001:db8::/33", "2001:db8:7fff::1", "2001:db8:8000::1"),
            ("::/0", "ff::", "1.2.3.4"),
        ]
    ) func aNetworkHasTheAddressesThatBeginLikeIt(text: String, within: String, outside: String) throws {
        let network = try #require(IPNetwork(text))
        #expect(network.contains(try #require(IPAddress(within))))
        #expect(!network.contains(try #require(IPAddress(outside))))
    }

    @Test(
        arguments: [
            "", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8", "10.0/8", "::/129",
            "lan",
            "10.0.0.0/255.0.0.0", "10.0.0.0/99999999999999999999",
        ]
    ) func nothingElseIsANetwork(text: String) {
        #expect(IPNetwork(text) == nil)
    }
}
