import SpatePacing
import SpateSplitting

/// What further connections might be good for, for each file that may have some.
struct ConnectionWishes {
    private var wishes: [ObjectIdentifier: SegmentPlan.Wish] = [:]
    /// How many bytes are left of these files. It may wrap, for servers may state any size.
    private var left: UInt64 = 0

    var isEmpty: Bool { wishes.isEmpty }
    var count: Int { wishes.count }

    /// - Parameter wish: `nil` if the file has one connection for good.
    mutating func note(_ wish: SegmentPlan.Wish?, of file: ObjectIdentifier) {
        left &-= UInt64(clamping: wishes[file]?.left ?? 0)
        wishes[file] = wish
        left &+= UInt64(clamping: wish?.left ?? 0)
    }

    /// How many of all connections a file may have: as large a share as it has of the bytes that are left, so that all files
    /// end together. One that is late gets one more in any case.
    func share(of file: ObjectIdentifier, in limit: Int) -> Int {
        guard let wish = wishes[file], left > 0 else { return 1 }
        let share = (Double(limit) * min(1, Double(wish.left) / Double(left))).rounded(.up)
        return max(1, Int(share)) + (wish.need == .haste ? 1 : 0)
    }

    /// `nil` without any file.
    var files: HelperPace.Files? {
        if wishes.isEmpty { return nil }
        var files = HelperPace.Files(most: count * SegmentPlan.mostAutomatic, left: 0, isHasty: false)
        for wish in wishes.values {
            switch wish.need {
            case .none: break
            case .more:
                let (sum, isTooLarge) = files.left.addingReportingOverflow(wish.left)
                files.left = isTooLarge ? .max : sum
                files.isPrompt = files.isPrompt || wish.isPrompt
            case .haste: files.isHasty = true
            }
        }
        return files
    }
}
