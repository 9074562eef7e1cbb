/// The names of the lines that are shown together. Lines whose names would look alike show what differs.
struct RowNames {
    private var texts: [Int: String] = [:]
    private let width: Int
    private let style: DrawingStyle

    init(_ entries: [LiveModel.Entry], width: Int, _ style: DrawingStyle) {
        (self.width, self.style) = (width, style)
        for entry in entries { texts[entry.number] = fitted(entry.name) }
        for alike in Dictionary(grouping: entries, by: { texts[$0.number] ?? "" }).values where alike.count > 1 {
            let names = alike.map(\.name)
            let isSameName = names.allSatisfy { $0 == names[0] }
            let labels = isSameName ? Self.labels(of: alike) : names
            let difference = ScreenText.firstDifference(labels)
            for (entry, label) in zip(alike, labels) {
                texts[entry.number] = label.fitted(to: width, showing: difference, ellipsis: style.ellipsis)
            }
        }
    }

    subscript(entry: LiveModel.Entry) -> String { texts[entry.number] ?? fitted(entry.name) }

    private func fitted(_ name: ScreenText) -> String { name.fitted(to: width, ellipsis: style.ellipsis) }

    /// Of each URL what follows the part that all have in common, from the last folder on that they share:
    /// `2023/disk.iso`, `get?id=2`.
    private static func labels(of entries: [LiveModel.Entry]) -> [ScreenText] {
        let urls = entries.map { Array($0.url) }
        let common = urls.dropFirst().reduce(urls[0].count) { common, url in
            zip(urls[0].prefix(common), url).prefix { $0 == $1 }.count
        }
        let start = urls[0].prefix(common).prefix { $0 != "?" }.lastIndex(of: "/").map { $0 + 1 } ?? 0
        return urls.map { ScreenText(String($0.dropFirst(start))) }
    }
}
