import Testing

@testable import SpateHosts

@Suite struct HostAddressesTests {
    private func addresses(_ all: [String] = ["a", "b", "c"]) -> HostAddresses {
        var addresses = HostAddresses()
        _ = addresses.beginLookup(now: .zero)
        addresses.found(all, now: .zero)
        return addresses
    }

    // MARK: Lookups

    @Test func aLookupIsNotRepeatedWhileItRunsOrIsFresh() {
        var addresses = HostAddresses()
        #expect(addresses.beginLookup(now: .zero) == .begins)
        #expect(addresses.beginLookup(now: .seconds(9)) == .isRunning)
        #expect(addresses.beginLookup(now: .seconds(10)) == .begins)
        addresses.found(["a"], now: .seconds(11))
        #expect(addresses.beginLookup(now: .seconds(70)) == .isDone)
        #expect(addresses.beginLookup(now: .seconds(71)) == .begins)
    }

    @Test func aLookupThatTakesTooLongFindsNothingForAMinute() {
        var addresses = HostAddresses()
        _ = addresses.beginLookup(now: .zero)
        #expect(addresses.leave(slow: "a", now: .zero) == .unknown)
        addresses.isMissing(now: .seconds(10))
        #expect(addresses.leave(slow: "a", now: .seconds(10)) == .none)
        #expect(addresses.beginLookup(now: .seconds(60)) == .isDone)
    }

    @Test func thatANameDoesNotExistIsKnownForAMinute() {
        var addresses = HostAddresses()
        _ = addresses.beginLookup(now: .zero)
        #expect(!addresses.hasNoSuchName(now: .zero))
        addresses.found([], hasNoSuchName: true, now: .seconds(1))
        #expect(addresses.hasNoSuchName(now: .seconds(60)) && !addresses.hasNoSuchName(now: .seconds(61)))
        #expect(addresses.beginLookup(now: .seconds(61)) == .begins)
        addresses.isMissing(now: .seconds(71))
        #expect(!addresses.hasNoSuchName(now: .seconds(71)))
    }

    // MARK: Choosing

    @Test func libcurlChoosesUntilAnAddressIsAvoided() {
        var addresses = addresses()
        #expect(addresses.choice(besides: [], now: .zero) == nil)
        addresses.avoid("a", now: .zero)
        #expect(addresses.choice(besides: [], now: .zero) == "b")
        #expect(addresses.choice(besides: ["b"], now: .zero) == "c")
        #expect(addresses.choice(besides: [], now: HostAddresses.avoidedTime) == nil)
    }

    @Test func libcurlChoosesAgainWhenAllAreAvoided() {
        var addresses = addresses()
        for address in ["a", "b", "c"] { addresses.avoid(address, now: .zero) }
        #expect(addresses.choice(besides: [], now: .zero) == nil)
    }

    @Test(arguments: [[], ["a"]]) func aHostWithOneAddressNeverHasAChoice(all: [String]) {
        var addresses = addresses(all)
        #expect(addresses.leave(slow: "a", now: .zero) == .none)
        #expect(addresses.leave(silent: "a", now: .zero) == .none)
        #expect(addresses.choice(besides: [], now: .zero) == nil)
        #expect(addresses.choice(besides: ["a"], now: .zero) == nil)
    }

    @Test func thereIsAChoiceUntilAllAreAvoided() {
        var addresses = addresses()
        for address in ["a", "b", "c"] {
            #expect(addresses.hasChoice(now: .zero))
            addresses.avoid(address, now: .zero)
        }
        #expect(!addresses.hasChoice(now: .zero) && addresses.hasChoice(now: HostAddresses.avoidedTime))
        #expect(!self.addresses(["a"]).hasChoice(now: .zero))
    }

    @Test func nothingIsChosenWhileTheAddressesAreDistrusted() {
        var addresses = addresses()
        addresses.avoid("a", now: .zero)
        addresses.distrust(now: .zero)
        #expect(addresses.choice(besides: [], now: .seconds(1)) == nil)
        #expect(addresses.leave(slow: "b", now: .seconds(1)) == .none)
        #expect(addresses.leave(silent: "b", now: .seconds(1)) == .none)
    }

    // MARK: Silence

    @Test func anAddressThatFailsIsAvoidedByAll() {
        var addresses = addresses()
        #expect(addresses.leave(silent: "a", now: .zero) == .address("b"))
        #expect(addresses.leave(silent: "a", now: .zero) == .address("b"))
        #expect(addresses.leave(silent: "b", now: .zero) == .address("c"))
        #expect(addresses.leave(silent: "c", now: .zero) == .none)
    }

    @Test func withoutAnAddressTheFirstOneFailed() {
        var addresses = addresses()
        #expect(addresses.leave(silent: nil, now: .zero) == .address("b"))
        #expect(addresses.leave(silent: nil, now: .zero) == .address("c"))
        #expect(addresses.leave(silent: nil, now: .zero) == .none)
    }

    // MARK: Crawling

    @Test func whileOneConnectionTriesAnAddressTheOthersStay() {
        var addresses = addresses()
        #expect(addresses.leave(slow: "a", now: .zero) == .address("b"))
        #expect(addresses.leave(slow: "a", now: .seconds(1)) == .none)
        addresses.prove("b")
        #expect(addresses.leave(slow: "a", now: .seconds(2)) == .address("b"))
        #expect(addresses.leave(slow: "a", now: .seconds(2)) == .address("b"))
    }

    @Test func ifAllAreSlowOneConnectionTriesEachOnce() {
        var addresses = addresses()
        #expect(addresses.leave(slow: "a", now: .zero) == .address("b"))
        #expect(addresses.leave(slow: "b", now: .seconds(2)) == .address("c"))
        #expect(addresses.leave(slow: "a", now: .seconds(3)) == .none)
        #expect(addresses.leave(slow: "c", now: .seconds(4)) == .none)
        // Not back and forth.
        for second in 5..<300 { #expect(addresses.leave(slow: "c", now: .seconds(second)) != .address("a")) }
    }

    @Test func aTrialThatNobodyEndsIsOverSoon() {
        var addresses = addresses()
        _ = addresses.leave(slow: "a", now: .zero)
        addresses.found(["a", "b", "c"], now: .seconds(20))
        #expect(addresses.leave(slow: "a", now: .seconds(20)) == .address("b"))
    }

    @Test func theProvenAddressIsPreferred() {
        var addresses = addresses()
        _ = addresses.leave(slow: "a", now: .zero)
        _ = addresses.leave(slow: "b", now: .seconds(1))
        addresses.prove("c")
        #expect(addresses.choice(besides: [], now: .seconds(2)) == "c")
    }

    // MARK: Speed

    @Test func theUsualSpeedIsTheBestOfTenMinutes() {
        var addresses = HostAddresses()
        let (quick, slow) = (
            ConnectionSpeed(bytesPerSecond: 100, connections: 2), ConnectionSpeed(bytesPerSecond: 10, connections: 1)
        )
        addresses.note(quick, now: .zero)
        addresses.note(slow, now: .seconds(599))
        #expect(addresses.usualSpeed(now: .seconds(599)) == quick)
        #expect(addresses.usualSpeed(now: .seconds(600)) == nil)
        addresses.note(slow, now: .seconds(600))
        #expect(addresses.usualSpeed(now: .seconds(600)) == slow)
    }

    @Test func aShareFallsWithMoreConnectionsButDoesNotRiseWithFewer() {
        let speed = ConnectionSpeed(bytesPerSecond: 100, connections: 2)
        #expect(speed.share(of: 1) == 100 && speed.share(of: 2) == 100 && speed.share(of: 20) == 10)
    }
}
