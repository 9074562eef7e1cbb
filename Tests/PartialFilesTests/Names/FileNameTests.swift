import SpateFilePaths
import SpateFileSystemCalls
import SpateHTTPResumption
import SpatePartialFiles
import Testing

@Suite struct FileNameTests {
    @Test(arguments: [
        ("/file.zip", "file.zip"), ("/dir/file.zip?name=other#part", "file.zip"), ("/a%20b.txt", "a b.txt"),
        ("/%C3%A9t%C3%A9.txt", "été.txt"), ("/", "index.html"), ("/dir/", "index.html"), ("", "index.html"),
        ("/%2e", "index.html"), ("/%2e%2E", "index.html"), ("/%20", "index.html"), ("/%00", "index.html"),
        ("/%20..%20", "index.html"), ("/..%2f..%2fetc%2fpasswd", ".._.._etc_passwd"),
        ("/..%5C..%5Cboot.ini", ".._.._boot.ini"), ("/%2Fetc%2Fpasswd", "_etc_passwd"), ("/a%00b.txt", "ab.txt"),
        ("/a%0d%0ab%09.txt", "ab.txt"), ("/a%7Fb%C2%85c", "abc"), ("/a%FFb%C3.txt", "a_b_.txt"),
        ("/%20%20file.txt%20", "file.txt"), ("/%C2%A0file%E3%80%80", "file"),
        ("/invoice%E2%80%AEfdp.exe", "invoicefdp.exe"), ("/a%E2%80%8Bb%EF%BB%BFc%E2%80%A8d", "abcd"),
        ("/x.zip.part", "x.zip_part"), ("/x.PART", "x_part"), ("/.part", "_part"), ("/.x.zip.spate", "_x.zip.spate"),
        ("/.x.zip.spate.tmp", "_x.zip.spate.tmp"), ("/x.spate", "x.spate"), ("/.bashrc", ".bashrc"), ("/...", "..."),
        ("/-rf", "-rf"),
    ])
    func aNameFromAURLIsSafe(path: String, name: String) throws {
        #expect(FileName(derivedFrom: try url("http://host" + path)).text == name)
    }

    @Test(arguments: [
        (String(repeating: "a", count: 300) + ".zip", String(repeating: "a", count: 226) + ".zip"),
        (String(repeating: "a", count: 300) + ".tar.gz", String(repeating: "a", count: 223) + ".tar.gz"),
        (String(repeating: "a", count: 300), String(repeating: "a", count: 230)),
        ("x." + String(repeating: "a", count: 300), "x." + String(repeating: "a", count: 228)),
        (String(repeating: "é", count: 300) + ".txt", String(repeating: "é", count: 113) + ".txt"),
        (String(repeating: "👩‍🚀", count: 50), String(repeating: "👩🚀", count: 28) + "👩"),
        (String(repeating: "a", count: 300) + ".part", String(repeating: "a", count: 225) + "_part"),
        (String(repeating: "a", count: 229) + " b", String(repeating: "a", count: 229)),
    ])
    func aLongNameIsCutBetweenCharactersAndKeepsItsExtension(long: String, cut: String) {
        #expect(FileName(repairing: Array(long.utf8)).text == cut)
    }

    @Test func aLetterWithHundredsOfAccentsIsCutBetweenScalars() {
        let name = FileName(repairing: Array(("e" + String(repeating: "\u{301}", count: 400)).utf8))
        #expect(name.text == "e" + String(repeating: "\u{301}", count: 114))
    }

    @Test(arguments: [
        ("file.zip", "file-1a2b3c4d.zip"), ("file.tar.gz", "file-1a2b3c4d.tar.gz"),
        ("file.TAR.xz", "file-1a2b3c4d.TAR.xz"), ("file.txt.gz", "file.txt-1a2b3c4d.gz"), ("file", "file-1a2b3c4d"),
        (".bashrc", ".bashrc-1a2b3c4d"), ("v1.2 notes", "v1.2 notes-1a2b3c4d"), ("trailing.", "trailing.-1a2b3c4d"),
        ("tar.gz", "tar-1a2b3c4d.gz"), (".tar.gz", ".tar-1a2b3c4d.gz"),
        (
            String(repeating: "a", count: 226) + ".zip",
            String(repeating: "a", count: 217) + "-1a2b3c4d.zip"
        ),
    ])
    func theHashOfAVariantGoesBeforeTheExtension(name: String, variant: String) throws {
        #expect(try FileName(explicit: name).variant("1a2b3c4d").text == variant)
    }

    @Test(arguments: [
        ("report 2024.zip", "report 2024.zip"), ("../../etc/passwd", "passwd"), ("C:\\dir\\a.txt", "a.txt"),
        ("a/b\\c", "c"), (".bashrc", "bashrc"), ("-rf", "rf"), (".-.x", "x"), (".part", "part"),
        ("-.part.part", "part"), ("-.spate", "spate"),
        (" .x ", "x"), ("x.part", "x"),
        ("x.PART.part", "x"), (".x.zip.spate.tmp", "x.zip"), ("x.spate", "x"), ("x .part", "x"), ("..x", "x"),
        ("a\u{200D}b\u{FEFF}", "ab"), (" \u{A0}file\u{3000}", "file"), ("x.", "x."), ("été.txt", "été.txt"),
        ("a:b*?.txt", "a:b*?.txt"),
        (String(repeating: "é", count: 300) + ".txt", String(repeating: "é", count: 113) + ".txt"),
        (String(repeating: "a", count: 226) + ".part.zip", String(repeating: "a", count: 226) + ".zip"),
    ])
    func aNameFromAServerIsWhatFollowsTheLastSeparator(text: String, name: String) {
        #expect(FileName(stated: text)?.text == name)
    }

    @Test(arguments: [
        "", ".", "..", "a/", "a\\", "/", "...", "---", " ", "-.part/", "a\0b", "a\nb", "a\u{85}b", "a\u{7F}",
        "invoice\u{202E}fdp.exe", "a\u{200F}", "a\u{061C}b", "\u{2066}a", "\u{200B}",
    ])
    func aNameFromAServerThatMisleadsOrIsNoneIsRefused(text: String) {
        #expect(FileName(stated: text) == nil)
    }

    @Test(arguments: [
        ("/download?id=123", "download-id=123"), ("/list.csv?page=2", "list-page=2.csv"),
        ("/a.tar.gz?v=1", "a-v=1.tar.gz"),
        ("/?q", "index-q.html"), ("/a?x=%2Fetc%2F", "a-x=_etc_"), ("/a?n=%C3%A9", "a-n=é"), ("/a?.part", "a-_part"),
        ("/.a?b.spate", "_a-b.spate"),
    ])
    func theQueryTellsNamesApart(path: String, name: String) throws {
        let origin = try url("http://host" + path)
        let names = FileClaim(origin, in: "/folder", naming: .derived).names
        let hash = FileName(derivedFrom: origin).variant(URLHash(origin).digits8).text
        #expect(names.map(\.text).dropFirst().prefix(2) == [name, hash] && names.hashTurn == 2)
    }

    @Test(arguments: [
        "/a", "/a?", "/a?token=1", "/a?X-Amz-Signature=1", "/a?x=1&sig=2", "/a?x;apikey=1", "/a?%6bey=1", "/a?%20",
        "/a?" + String(repeating: "x", count: 81),
    ])
    func aQueryThatIsEmptyLongOrMaybeSecretIsInNoName(path: String) throws {
        let origin = try url("http://host" + path)
        let names = FileClaim(origin, in: "/folder", naming: .derived).names
        #expect(names.map(\.text) == ["a", "a-\(URLHash(origin).digits8)", "a-\(URLHash(origin).digits16)"])
        #expect(names.hashTurn == 1)
    }

    @Test(arguments: [
        ("", FileNameError.Flaw.empty), (".", .folder), ("..", .folder), ("a/b", .separator),
        ("/etc/passwd", .separator), ("a\0b", .controlCharacter), ("a\nb", .controlCharacter),
        ("a\u{85}b", .controlCharacter), (String(repeating: "a", count: 231), .tooLong), ("x.part", .reserved),
        ("x.Part", .reserved), (".x.spate", .reserved), (".x.SPATE.tmp", .reserved),
    ])
    func aCallersNameIsRefusedNotRepaired(name: String, flaw: FileNameError.Flaw) {
        let error = #expect(throws: FileNameError.self) { try FileName(explicit: name) }
        #expect(error?.flaw == flaw)
        #expect(error?.description.isEmpty == false)
    }

    @Test(arguments: ["a b", "été.zip", "back\\slash", ".hidden", String(repeating: "a", count: 230), "x.spate"])
    func aCallersNameStaysAsItIs(name: String) throws {
        #expect(try FileName(explicit: name).text == name)
    }

    @Test func namesAreComparedByBytesAsTheFileSystemDoes() throws {
        #expect(try FileName(explicit: "e\u{301}") != FileName(explicit: "\u{E9}"))
    }

    @Test func theNameOfATriedFileIsNoDownloads() {
        #expect(FileName.isSidecar(NewFile.name(0)) && FileName.isSidecar(NewFile.name(.max)))
    }
}
