/// How large the terminal is.
struct ScreenSize: Equatable {
    var columns: Int
    var rows: Int
}
