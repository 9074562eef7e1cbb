/// Where the demo's server notes what it sees and does. Its threads write into it, and wait for nothing but each other.
protocol DemoWitness: Sendable {
    /// Notes a request; the numbers are its own, and which visit to the file it is.
    func begin(_ request: DemoRequest) -> (number: Int, visit: Int)

    func answer(_ number: Int, with reply: DemoReply)

    /// Nothing more is sent after this many bytes; the end may still be to come, and then this is called again.
    ///
    /// To be told before the last of them leave: the client may be done with them, and ask again, at once.
    func finish(_ number: Int, sent: Int, end: DemoExchange.End?)
}
