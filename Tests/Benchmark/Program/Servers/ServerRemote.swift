/// A server of a model, on loopback.
final class ServerRemote: Remote {
    private let model: ServerModel
    private var server: ModelServer?

    init(_ model: ServerModel) {
        self.model = model
    }

    func start(serving folder: String, round: Int) async throws {
        server = try ModelServer(model, serving: folder)
    }

    func stop() async throws {
        try await server?.stop()
        server = nil
    }

    func url(_ name: String, number: Int) -> String { "http://127.0.0.1:\(server?.port ?? 0)/\(name)" }

    let authority: String? = nil
    let entrance: [String] = []
}
