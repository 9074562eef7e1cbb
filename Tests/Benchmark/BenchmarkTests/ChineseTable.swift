@testable import spate_benchmark

/// The tables of figures in Chinese: made of the English ones, so that no figure is written twice.
struct ChineseTable {
    let text: String

    init(_ table: MarkdownTable) {
        text = table.lines.map(Self.translated).joined(separator: "\n") + "\n"
    }

    private static func translated(_ line: String) -> String {
        line
            .replacing("spate to the best other", with: "spate 与其余最快者之比")
            .replacing(
                "| downloads | enqueued in | each | memory each | all cancelled in |",
                with: "| 下载数 | 入队用时 | 每个用时 | 每个占用内存 | 全部取消用时 |"
            )
            .replacing(#/^\| ([a-z-]+): /#) { "| \($0.1)：" }
            .replacing(#/([0-9,]+) files? of (\S+ \S+?)( over https)?, /#) {
                "\($0.1) 个 \($0.2) 的文件\($0.3 == nil ? "" : "（https）")，"
            }
            .replacing(#/([0-9]+) at once, onto /#) { "同时 \($0.1) 个，写入" }
            .replacing("the disk's medium", with: "磁盘介质")
            .replacing("the disk", with: "磁盘")
            .replacing(/a disk that takes (\S+ \S+)/) { "速度为 \($0.1) 的磁盘" }
            .replacing("写入tmpfs", with: "写入 tmpfs")
            .replacing("killed at half, and then the rest", with: "下到一半时杀死，再取其余")
            .replacing(/([0-9.]+) of the size/) { "文件大小的 \($0.1) 倍" }
    }
}
