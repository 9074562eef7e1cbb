/// The version of this library.
public enum SpateVersion {
    /// As in `0.1.0`; what the `User-Agent` says unless the headers say something else.
    public static let text = "0.1.0"
}
