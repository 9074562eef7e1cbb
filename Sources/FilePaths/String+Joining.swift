extension String {
    /// Joins the pieces with one allocation: `+` allocates at each step.
    package init(joining first: String, _ second: String, _ third: String = "", _ fourth: String = "") {
        let count = first.utf8.count + second.utf8.count + third.utf8.count + fourth.utf8.count
        self.init(unsafeUninitializedCapacity: count) { buffer in
            var end = 0
            buffer.put(first, at: &end)
            buffer.put(second, at: &end)
            buffer.put(third, at: &end)
            buffer.put(fourth, at: &end)
            return end
        }
    }
}

extension UnsafeMutableBufferPointer<UInt8> {
    fileprivate func put(_ text: String, at end: inout Int) {
        text.utf8.span.withUnsafeBufferPointer { bytes in
            guard let from = bytes.baseAddress, let to = baseAddress, bytes.count <= count - end else { return }
            (to + end).initialize(from: from, count: bytes.count)
            end += bytes.count
        }
    }
}
