import Dispatch
import Foundation

/// Calls a closure on each signal, until it is released.
final class SignalCall {
    private let source: any DispatchSourceSignal

    init(_ number: Int32, _ body: @escaping @Sendable () -> Void) {
        // By default the signal would end the process.
        signal(number, SIG_IGN)
        source = DispatchSource.makeSignalSource(signal: number)
        source.setEventHandler(handler: body)
        source.resume()
    }
}
