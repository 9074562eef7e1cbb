import SpateTestSupport
import Testing

@testable import Spate

@Suite struct HashedIndicesTests {
    /// Finds as a dictionary of all indices does, also among elements of one hash.
    @Test(arguments: [1, 3, 1_000_000]) func findsWhatIsThere(hashes: Int) {
        var random = SeededRandom(seed: UInt64(hashes))
        let elements = Array(0..<40)
        func hash(_ element: Int) -> Int { element % hashes }
        var (indices, model) = (HashedIndices(), Set<Int>())
        for _ in 0..<2_000 {
            let element = Int.random(in: 0..<40, using: &random)
            if model.remove(element) != nil {
                indices.remove(element, hash(element))
            } else {
                model.insert(element)
                indices.insert(element, hash(element))
            }
            let found = elements.filter { element in
                indices.first(hash(element), in: elements) { $0 == element } == element
            }
            #expect(found == model.sorted())
            #expect(indices.isEmpty == model.isEmpty)
        }
    }
}
