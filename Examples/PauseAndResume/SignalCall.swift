import Dispatch
import Foundation

/// Calls a closure whenever the process gets a signal, as long as this object lives.
final class SignalCall {
    private let source: any DispatchSourceSignal

    init(_ number: Int32, _ body: @escaping @Sendable () -> Void) {
        // What the signal does by default, which is to end the process, must not happen.
        signal(number, SIG_IGN)
        source = DispatchSource.makeSignalSource(signal: number)
        source.setEventHandler(handler: body)
        source.resume()
    }
}
