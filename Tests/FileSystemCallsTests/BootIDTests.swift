import SpateFileSystemCalls
import Testing

@Suite struct BootIDTests {
    @Test func theKernelHasABootID() throws {
        let boot = try #require(BootID.current)
        #expect(BootID(boot.text) == boot)
        #expect(boot == BootID.current)
    }
}
