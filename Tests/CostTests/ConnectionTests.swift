import Testing

/// Connections, counted by the server.
@Suite struct ConnectionTests {

    @Test func manyFilesCostNoMoreConnectionsThanDownloadsAtOnce() async throws {
        let count = Double(try await SmallFiles.cost.value.connections)
        CostLimits.connectionsOfThreeAtOnce.check(count, "for 300 files of one server")
    }
}
