/// The version of this library.
public enum SpateVersion {
    /// The version, such as `0.1.0`. It is part of the default `User-Agent`.
    public static let text = "0.1.0"
}
