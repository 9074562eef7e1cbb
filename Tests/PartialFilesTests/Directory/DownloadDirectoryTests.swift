import Glibc
import SpateFilePaths
import SpateFileSystemCalls
import SpateHTTPResumption
import SpatePartialFiles
import SpateTestSupport
import Testing

@Suite(.takesTurns) struct DownloadDirectoryTests {
    @Test(arguments: ["new", "new/", "a/b//c", "a/b/c/"])
    func theFolderIsMadeWithItsParents(path: String) throws {
        let folder = try DownloadFolder()
        let directory = DownloadDirectory(path: FilePath(folder.path(path)))
        try directory.fetch(try url("http://host/x"), "12345")
        #expect(try folder.read(path + "/x") == "12345")
    }

    @Test func aFileInTheWayOfTheFolderIsAnError() throws {
        let folder = try DownloadFolder()
        try folder.write("", to: "file")
        for path in ["file", "file/below", "file/further/below"] {
            let error = #expect(throws: FileSystemError.self) {
                try DownloadDirectory(path: FilePath(folder.path(path))).partial(of: try url("http://host/x"))
            }
            #expect(error?.code == ENOTDIR)
        }
    }

    @Test func aLinkToTheFolderIsFollowed() throws {
        let folder = try DownloadFolder()
        #expect(mkdir(folder.path("real"), 0o755) == 0)
        #expect(symlink("real", folder.path("link")) == 0)
        try DownloadDirectory(path: FilePath(folder.path("link"))).fetch(try url("http://host/x"), "12345")
        #expect(try folder.read("real/x") == "12345")
    }

    @Test func lookUpsMakeNothing() throws {
        let folder = try DownloadFolder()
        let directory = DownloadDirectory(path: FilePath(folder.path("new")))
        #expect(try directory.finishedFile() == nil)
        #expect(try directory.location(of: directory.claim(origin, .derived)).text == folder.path("new/x.zip"))
        #expect(try directory.contents() == [])
        try directory.delete()
        #expect(try folder.names == [])
    }

    @Test func theLocationIsWhereTheFileWillBe() throws {
        let folder = try DownloadFolder()
        try folder.write("a stranger's", to: "x.zip")
        let location = try folder.directory.location(of: folder.claim)
        #expect(try folder.names == ["x.zip"])
        #expect(try folder.directory.fetch("12345") == location.text)
        #expect(try folder.directory.location(of: folder.claim) == location)
        let naming = try FileNaming.named("x.zip")
        #expect(try folder.directory.location(of: folder.directory.claim(origin, naming)).text == folder.path("x.zip"))
    }

    @Test func aFolderThatWasMovedAwayIsNotWrittenTo() throws {
        let folder = try DownloadFolder()
        let directory = DownloadDirectory(path: FilePath(folder.path("new")))
        try directory.fetch(try url("http://host/x"), "12345")
        #expect(rename(folder.path("new"), folder.path("old")) == 0)
        try directory.fetch(try url("http://host/y"), "12345")
        #expect(try folder.read("new/y") == "12345")
        #expect(folder.kind(of: "old/y") == nil)
    }

    @Test func aFolderThatIsDeletedBeforeTheFileIsMadeIsMadeAgain() throws {
        let folder = try DownloadFolder()
        let directory = DownloadDirectory(path: FilePath(folder.path("new")))
        let file = try directory.partial(of: try url("http://host/x")) { turn in
            if turn == 1 { #expect(rmdir(folder.path("new")) == 0) }
        }
        try file.append("12345")
        #expect(try folder.read("new/x.part") == "12345")
    }
}
