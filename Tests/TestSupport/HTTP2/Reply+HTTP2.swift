/// What goes wrong where one connection bears several streams: for a server that speaks HTTP/2 alone.
///
/// There, too, `cut` and `reset` end the whole connection.
extension Reply {
    enum HTTP2Fault: Sendable {
        case resetStream(HTTP2ErrorCode)
        case goAway(HTTP2ErrorCode, keepsStream: Bool)
        case endStream
        case tornFrame
    }

    /// Ends this stream, and no other, with an error after so many bytes.
    package func streamReset(after count: Int, _ code: HTTP2ErrorCode) -> Reply {
        marked(count, .http2(.resetStream(code)))
    }

    /// Says GOAWAY after so many bytes, and that this stream is still served, which it then is.
    package func goingAway(after count: Int, _ code: HTTP2ErrorCode = .noError) -> Reply {
        marked(count, .http2(.goAway(code, keepsStream: true)))
    }

    /// Says GOAWAY after so many bytes, and that this stream is not served; no more of it is sent.
    package func abandoned(after count: Int, _ code: HTTP2ErrorCode = .noError) -> Reply {
        marked(count, .http2(.goAway(code, keepsStream: false)))
    }

    /// Ends this stream in order after so many bytes, whatever was promised.
    package func ended(after count: Int) -> Reply {
        marked(count, .http2(.endStream))
    }

    /// Begins a frame of 16 KiB after so many bytes, and closes the connection in its middle.
    package func cutInFrame(after count: Int) -> Reply {
        marked(count, .http2(.tornFrame))
    }
}
