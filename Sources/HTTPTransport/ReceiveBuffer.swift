/// How many bytes libcurl reads from the socket at once. It still passes them on in pieces of 16 KiB.
///
/// Before version 8.7 libcurl allocates this buffer for each transfer.
enum ReceiveBuffer: Int {
    /// With a larger one, the heap shrinks after each small file and grows for the next. With a smaller one, a body that
    /// is large after all takes more time: with 64 KiB a sixth more.
    case small = 131_072
    /// Bytes that wait for their share of a rate stay in memory.
    case limited = 65_536
    case large = 524_288

    init(for request: TransportRequest, _ forecast: Forecast) {
        if request.rate?.isLimited == true {
            self = .limited
        } else {
            self = forecast.isSmall ? .small : .large
        }
    }
}
