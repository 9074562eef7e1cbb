/// A claim about a parser that an input broke.
package struct BrokenClaim: Error, CustomStringConvertible {
    package let description: String
}

/// Throws `claim` unless `holds`.
func require(_ holds: Bool, _ claim: @autoclosure () -> String) throws(BrokenClaim) {
    if !holds { throw BrokenClaim(description: claim()) }
}
