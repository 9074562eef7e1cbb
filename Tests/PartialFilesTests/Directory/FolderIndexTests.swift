import SpateFilePaths
import SpateHTTPSyntax
import SpatePartialFiles
import SpateTestSupport
import Testing

@Suite struct FolderIndexTests {
    private func origin(_ number: UInt64) throws -> HTTPURL { try url("http://host/\(number)") }

    @Test func itKnowsWhatADictionaryKnows() throws {
        var generator = SeededRandom(seed: 22)
        var known: [FilePath: UInt64] = [:]
        let names: [FilePath] = (0..<400).map { "file-\($0).bin" } + ["e\u{301}", "\u{E9}"]
        var index = FolderIndex { add in
            for (number, name) in names.enumerated() where number % 2 == 0 {
                add(name, "http://host/\(number % 50)")
                known[name] = UInt64(number % 50)
            }
        }
        // Enough to merge some times.
        for step in 0..<6_000 {
            let name = names[Int(generator.next() % 400)]
            let number = generator.next() % 60
            known[name] = number < 50 ? number : nil
            index.note(name, of: number < 50 ? "http://host/\(number)" : nil)
            guard step % 50 == 0 else { continue }
            for number in 0..<50 as Range<UInt64> {
                let expected = known.filter { $0.value == number }.keys
                #expect(try index[origin(number)].sorted() == expected.sorted(), "step \(step)")
            }
        }
    }

    /// As the file system tells them apart.
    @Test func namesAreToldApartByTheirBytes() throws {
        var index = FolderIndex { add in add("e\u{301}", "http://host/1") }
        index.note("\u{E9}", of: "http://host/1")
        #expect(try index[origin(1)].count == 2)
        index.note("\u{E9}", of: nil)
        #expect(try index[origin(1)] == ["e\u{301}"])
    }
}
