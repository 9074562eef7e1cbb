import Foundation

/// What a comparison of a file on disk with the bytes that it must have came to.
enum DemoVerdict: Sendable, Equatable {
    case right
    case missing
    case size(Int)
    case differs(at: Int)

    /// Reads the file and compares every byte.
    init(of file: URL, against content: DemoContent) {
        guard let handle = try? FileHandle(forReadingFrom: file) else {
            self = .missing
            return
        }
        defer { try? handle.close() }
        var offset = 0
        while let data = try? handle.read(upToCount: 1 << 20), !data.isEmpty {
            guard offset + data.count <= content.size else {
                self = .size(offset + data.count)
                return
            }
            let expected = content.bytes(offset..<(offset + data.count))
            if let place = Self.firstDifference(Array(data), expected) {
                self = .differs(at: offset + place)
                return
            }
            offset += data.count
        }
        self = offset == content.size ? .right : .size(offset)
    }

    private static func firstDifference(_ one: [UInt8], _ other: [UInt8]) -> Int? {
        // The whole at once first: byte by byte it takes a hundred times as long where nothing is optimised.
        one == other ? nil : zip(one, other).enumerated().first { $1.0 != $1.1 }?.offset
    }

    /// What is wrong, in a few words; `nil` where nothing is.
    var fault: String? {
        switch self {
        case .right: nil
        case .missing: "the file is not there"
        case .size(let size): "the file has a wrong size, \(size) bytes or more"
        case .differs(let offset): "the byte at \(offset) is wrong"
        }
    }
}
