@testable import SpateProgram

/// Messages that no wrong call leads to, as they come in certain cases.
enum MessageSamples {
    static let demoFolder = DemoFolder.failure(in: "/tmp", 28)
    static let demoServer = LoopbackSocket.failure(24)

    private static let url = "https://example.com/a.iso"

    static let notices: [(when: String, notice: Notice)] = [
        ("a list holds nothing but comments (exit code 0)", .emptyList(["urls.txt", "-"])),
        ("`resume` finds no partial file (exit code 0)", .nothingToFinish(in: "FOLDER")),
        ("`status` finds no file (exit code 0)", .nothingStored(in: "FOLDER")),
        ("`delete` finds no file of a URL (exit code 1)", .nothingOf(url, in: "FOLDER")),
        ("a key has cancelled or deleted one (exit code 1)", .cancelled(url)),
        ("a download has failed (exit code 1)", .failure("The server answered with status 404.", of: url)),
        (
            "a line of a list is no URL, past the 1,000 that are checked first (exit code 1)",
            .failure(Address.fault(of: "nonsense").found(at: "urls.txt, line 1204").message)
        ),
        (
            "a file has arrived, but something is worth knowing (exit code 0)",
            .remark(url, "The server sent no length.")
        ),
    ]

    static let farewells: [(when: String, farewell: Farewell)] = {
        var arguments = Arguments()
        arguments.directory = "my disks"
        let kept = [Farewell.Partial(name: "a.iso", received: 12_300_000, total: 40_000_000)]
        var withHeader = arguments
        withHeader.headers = (try? HeaderField("X-Token: t")).map { [$0] } ?? []
        return [
            ("some had begun", Farewell(kept: kept, notBegun: 2, arguments: arguments)),
            ("none had", Farewell(kept: [], notBegun: 3, arguments: arguments)),
            ("headers were given", Farewell(kept: kept, notBegun: 0, arguments: withHeader)),
            (
                "a URL had a password",
                Farewell(kept: kept, notBegun: 0, hadCredentials: true, arguments: arguments)
            ),
            ("a list was still being read", Farewell(kept: kept, notBegun: 9, listGoesOn: true, arguments: arguments)),
        ]
    }()
}
