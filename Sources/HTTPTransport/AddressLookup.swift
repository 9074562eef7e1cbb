import CSpateSystem
import Glibc
import SpateHTTPSyntax
import SpateLocking

/// Looks up all addresses of a name, on a thread of its own. See getaddrinfo(3): it may block for half a minute, and
/// cannot be cancelled. libcurl's own lookups tell only the address that it connects to, and not why there is none.
enum AddressLookup {
    private static let running = Locked(0)
    /// With more, lookups that hang would fill the process with threads.
    private static let mostRunning = 4
    private static let mostAddresses = 8

    /// Begins a lookup. The answer is unknown if too many are running.
    static func begin(_ name: String, _ completion: @escaping @Sendable (LookupAnswer) -> Void) {
        let isAllowed = running.withLock { count in
            if count >= mostRunning { return false }
            count += 1
            return true
        }
        guard isAllowed else { return completion(.unknown) }
        let hasBegun = OwnThread.start("spate.lookup") {
            let answer = answer(about: name)
            running.withLock { $0 -= 1 }
            completion(answer)
        }
        if hasBegun { return }
        running.withLock { $0 -= 1 }
        completion(.unknown)
    }

    /// Whether a host has a name, and is not itself an address.
    static func isUseful(for url: HTTPURL) -> Bool {
        var address = in_addr()
        let host = url.host
        return !host.contains(":") && inet_pton(AF_INET, host, &address) != 1
    }

    /// Asks the resolver about a name. Blocks.
    static func answer(about name: String) -> LookupAnswer {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(name, nil, &hints, &list)
        guard code == 0 else { return spate_is_no_such_name(code) != 0 ? .noSuchName : .unknown }
        defer { freeaddrinfo(list) }
        var addresses: [String] = []
        for entry in sequence(first: list, next: { $0?.pointee.ai_next }) {
            guard addresses.count < mostAddresses, let entry, let address = text(of: entry.pointee),
                !addresses.contains(address)
            else { continue }
            addresses.append(address)
        }
        return .addresses(addresses)
    }

    /// `nil` for an address that is valid on one link only.
    private static func text(of entry: addrinfo) -> String? {
        var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let code = getnameinfo(entry.ai_addr, entry.ai_addrlen, &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST)
        guard code == 0, let text = String(validating: name.prefix { $0 != 0 }, as: UTF8.self), !text.contains("%")
        else { return nil }
        return text
    }
}
