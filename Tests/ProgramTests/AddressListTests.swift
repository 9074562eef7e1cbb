import Foundation
import Testing

@testable import SpateProgram

@Suite struct AddressListTests {
    private func list(_ urls: [String]) throws -> AddressList {
        var arguments = Arguments()
        arguments.urls = urls
        return try AddressList(arguments)
    }

    @Test func noMoreIsReadThanIsWanted() throws {
        var list = try list(["http://host/a", "http://host/a", "http://host/b", "nonsense"])
        #expect(try list.next(2).map(\.shown) == ["http://host/a", "http://host/b"])
        #expect(!list.isAtEnd)
    }

    @Test func behindABadOneItGoesOn() async throws {
        let list = try list(["http://host/a", "nonsense", "http://host/a", "http://host/b"])
        let batch = await ListReader(list).next(10)
        #expect(batch.addresses.map(\.shown) == ["http://host/a", "http://host/b"])
        #expect(batch.faults.count == 1)
        #expect(batch.isLast)
    }

    @Test func aFileThatCannotBeReadOnComesToAnEnd() async throws {
        var arguments = Arguments()
        arguments.inputs = ["/dev/zero"]
        let batch = await ListReader(try AddressList(arguments)).next(10)
        #expect(batch.faults.count == 1)
        #expect(batch.isLast)
    }

    @Test func nothingButBadLinesFillsNoMemory() async throws {
        let batch = await ListReader(try list(Array(repeating: "nonsense", count: 100))).next(10)
        #expect(batch.faults.count == 10)
        #expect(!batch.isLast)
    }
}

@Suite struct PlacesTests {
    @Test func aPlaceThatIsLeftIsTakenAgain() {
        var places = Places<String>()
        let taken = (0..<3).map { _ in places.take() }
        #expect(Set(taken).count == 3)
        for place in taken { places[place] = "\(place)" }
        #expect(places.leave(taken[1]) == "\(taken[1])")
        #expect(places.count == 2)
        #expect(places.take() == taken[1])
        #expect(places[taken[1]] == nil)
        #expect(places.count == 3)
        #expect(Array(places.taken) == ["\(taken[0])", "\(taken[2])"])
    }

    @Test func noPlaceIsLeftTwice() {
        var places = Places<String>()
        let place = places.take()
        places[place] = "a"
        #expect(places.leave(place) == "a")
        #expect(places.leave(place) == nil)
        #expect(places.count == 0)
    }
}
