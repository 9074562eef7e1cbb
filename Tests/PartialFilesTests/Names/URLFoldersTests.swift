import SpateFilePaths
import SpatePartialFiles
import Testing

@Suite struct URLFoldersTests {
    @Test(arguments: [
        ("http://host/a/b/file.zip", 0, ["host", "a", "b"]), ("https://host:8443/file", 0, ["host:8443"]),
        ("https://host:443/a/?x/y", 0, ["host", "a"]), ("http://host/a//b/c", 0, ["host", "a", "b"]),
        ("http://host/a/b/c/f", 2, ["host", "c"]), ("http://host/a/f", 9, ["host"]),
        ("http://host/a/f", -1, ["host", "a"]),
        ("http://host/a%2Fb/f", 0, ["host", "a_b"]), ("http://host/%2e%2e%2F/..%5Cx/f", 0, ["host", ".._", ".._x"]),
        ("http://host/%00/f", 0, ["host", "index.html"]),
        ("http://host/x.part/.y.spate/f", 0, ["host", "x_part", "_y.spate"]),
        ("http://[::1]:80/f", 0, ["::1"]), ("http://HOST/%E2%80%AEa/f", 0, ["host", "a"]),
        ("http://host/.spate-folder/f", 0, ["host", "_spate-folder"]),
    ])
    func hostAndPathBecomeSafeFolders(text: String, cut: Int, names: [String]) throws {
        #expect(try URLFolders.names(of: url(text), cutting: cut).map(\.text) == names)
        #expect(
            try URLFolders.path(of: url(text), cutting: cut, below: "/d").text == "/d/" + names.joined(separator: "/")
        )
    }
}
