import Foundation
import Spate

/// What a world's managers are told, and how wild its user is: drawn once, at the beginning.
struct WorldTraits {
    let disk: DiskTraits
    let hostCount: Int
    let fileCount: Int
    /// Whether files are large, and have several connections: few are otherwise.
    let splits: Bool
    /// Whether all hosts are on lines that mind how many connections there are. Then there are many files, most of them
    /// small.
    let hasLines: Bool
    let sizes: SimulatedFile.Sizes
    let concurrency: DownloadConcurrency
    let connectionsPerHost: Int?
    let connections: ConnectionCount
    let retry: RetryPolicy
    let stallTimeout: Duration
    let syncInterval: Duration
    let keepsQueue: Bool
    let wishCount: Int
    /// When the faults stop.
    let faultTime: Duration
    let kills: Bool
    let cutsPower: Bool
    /// Whether the folder has files of others.
    let hasStrangers: Bool
    /// Whether requests have headers that are for their host alone.
    let hasSecrets: Bool
    let diskTroubleCount: Int
    /// How often an outsider does something.
    let deedCount: Int
    /// How many processes there may be at a time.
    let processCount: Int
    let hasChecksums: Bool
    let hasSizes: Bool
    /// Whether requests name files and folders, and say what else concerns the finished file.
    let choosesPlaces: Bool
    let prepares: Bool
    let hasCookies: Bool
    let limitsRates: Bool
    let setsClock: Bool
    let keepsServerTime: Bool
    let hasReaders: Bool
    /// Whether users cancel everything at last, and go.
    let leaves: Bool

    init(_ timeline: Timeline) {
        var disk = DiskTraits(timeline.pick([.ext4, .ext4, .ext4, .xfs, .btrfs, .tmpfs, .nfs]))
        if timeline.onceIn(6) { disk.hasAttributes = false }
        if timeline.onceIn(6) { disk.hasUnnamedFiles = false }
        if timeline.onceIn(8) { disk.renamesWithoutReplacing = false }
        if timeline.onceIn(8) { disk.hasHardLinks = false }
        if timeline.onceIn(8) { disk.hasWatches = false }
        disk.syncTime = timeline.pick([.zero, .milliseconds(5), .milliseconds(200)])
        hostCount = timeline.pick([1, 2, 3])
        splits = timeline.onceIn(8)
        hasLines = timeline.onceIn(4)
        let isHuge = timeline.onceIn(5)
        sizes = splits ? (isHuge ? .huge : .large) : hasLines ? .many : .usual
        fileCount = timeline.pick(
            sizes == .huge ? [1] : splits ? [1, 1, 2] : hasLines ? [3, 8, 12, 20, 36] : [1, 1, 2, 3, 5, 8]
        )
        concurrency = Self.concurrency(hasLines: hasLines, timeline)
        if timeline.onceIn(8) { disk.mostDescriptors = timeline.pick([20, 60, 200]) }
        self.disk = disk
        connectionsPerHost = timeline.pick([nil, nil, nil, 1, 2, 3])
        let several: [ConnectionCount] = [.exactly(2), .exactly(4)]
        connections = timeline.pick(several + (splits ? [.automatic] : [.automatic, .automatic, .exactly(1)]))
        retry = RetryPolicy(
            maxRetriesWithoutProgress: timeline.pick([0, 1, 3, 5, 5]),
            firstDelay: timeline.pick([.milliseconds(100), .seconds(1)]),
            maximumDelay: .seconds(10),
            maximumRetryAfter: .seconds(30)
        )
        stallTimeout = timeline.pick([.seconds(2), .seconds(10), .seconds(30)])
        syncInterval = timeline.pick([.milliseconds(20), .seconds(1), .seconds(10)])
        keepsQueue = timeline.onceIn(2)
        wishCount = timeline.pick([3, 8, 8, 20, 40])
        faultTime = timeline.pick([.seconds(5), .seconds(20), .seconds(60)])
        kills = timeline.onceIn(3)
        cutsPower = timeline.onceIn(3)
        hasStrangers = timeline.onceIn(3)
        hasSecrets = timeline.onceIn(3)
        diskTroubleCount = timeline.pick([0, 0, 0, 1, 3, 8])
        deedCount = timeline.pick([0, 0, 0, 2, 6, 20])
        processCount = timeline.pick([1, 1, 1, 2, 3])
        hasChecksums = timeline.onceIn(3)
        hasSizes = timeline.onceIn(5)
        choosesPlaces = timeline.onceIn(4)
        prepares = timeline.onceIn(5)
        hasCookies = timeline.onceIn(4)
        limitsRates = timeline.onceIn(5)
        setsClock = timeline.onceIn(4)
        keepsServerTime = timeline.onceIn(4)
        hasReaders = timeline.onceIn(3)
        leaves = timeline.onceIn(5)
    }

    func configuration(in folder: String, callsOn queue: DispatchQueue) -> DownloadManager.Configuration {
        var configuration = DownloadManager.Configuration(directory: URL(fileURLWithPath: folder, isDirectory: true))
        configuration.concurrency = concurrency
        configuration.maxConnectionsPerHost = connectionsPerHost
        configuration.connectionsPerDownload = connections
        configuration.retry = retry
        configuration.stallTimeout = stallTimeout
        configuration.syncInterval = syncInterval
        configuration.keepsQueue = keepsQueue
        configuration.callbackQueue = queue
        configuration.keepsServerTime = keepsServerTime
        return configuration
    }
}

extension WorldTraits {
    /// How many downloads a user wants to run at once. Few files need few.
    static func concurrency(hasLines: Bool, _ timeline: Timeline) -> DownloadConcurrency {
        let (isAutomatic, isAutomaticOnLine) = (timeline.onceIn(6), timeline.onceIn(2))
        let (few, many) = (timeline.pick([1, 2, 3, 3, 3, 4]), timeline.pick([1, 3, 5, 8, 16]))
        let (most, mostOnLine) = (timeline.pick([1, 2, 4, 5, 64]), timeline.pick([2, 5, 12, 64, 64, 64]))
        if hasLines { return isAutomaticOnLine ? .automatic(atMost: mostOnLine) : .exactly(many) }
        return isAutomatic ? .automatic(atMost: most) : .exactly(few)
    }
}
