import Foundation

/// Numbers as people read them in a table.
enum QuantityText {
    static func seconds(_ seconds: Double) -> String {
        switch seconds {
        case ..<0.001: String(format: "%.0f µs", seconds * 1e6)
        case ..<0.1: String(format: "%.1f ms", seconds * 1e3)
        case ..<10: String(format: "%.2f s", seconds)
        default: String(format: "%.1f s", seconds)
        }
    }

    static func bytes(_ bytes: Int) -> String {
        let units: [(name: String, size: Double)] = [("GiB", 1_073_741_824), ("MiB", 1_048_576), ("KiB", 1_024)]
        guard let unit = units.first(where: { Double(bytes) >= $0.size }) else { return "\(bytes) bytes" }
        let value = Double(bytes) / unit.size
        return value >= 100 || value == value.rounded()
            ? String(format: "%.0f %@", value, unit.name) : String(format: "%.1f %@", value, unit.name)
    }

    static func ratio(_ ratio: Double) -> String { String(format: "%.2f", ratio) }

    /// For what is about 1 and must not be much more.
    static func fineRatio(_ ratio: Double) -> String { String(format: "%.4f", ratio) }

    static func count(_ count: Int) -> String {
        let digits = Array(String(count))
        return digits.indices.map { index in
            let left = digits.count - index
            return index > 0 && left.isMultiple(of: 3) ? ",\(digits[index])" : String(digits[index])
        }.joined()
    }
}

/// What is said, and when: a pipe gets each line at once, too.
enum Terminal {
    static func say(_ text: String) {
        FileHandle.standardOutput.write(Data("\(text)\n".utf8))
    }
}
