/// The options of aria2 in lists that have no meaning here, for one note about a whole run.
struct UnusedOptions: Equatable, Sendable {
    /// The lists that have such options.
    private(set) var lists: [String] = []
    /// The names of the options, in the order in which they came first.
    private(set) var names: [String] = []
    /// Whether aria2 would not begin some downloads.
    private(set) var hasPaused = false

    var isEmpty: Bool { names.isEmpty }

    /// Notes an option.
    ///
    /// - Returns: `false` if aria2 has no option of this name.
    mutating func note(_ name: String, _ value: String) -> Bool {
        if name == "pause", value == "true" { hasPaused = true }
        // A session has the same few options again and again.
        if names.contains(name) { return true }
        guard Self.known.contains(name) else { return false }
        names.append(name)
        return true
    }

    /// Adds those of one list.
    mutating func add(_ others: UnusedOptions, of list: String) {
        guard !others.isEmpty else { return }
        lists.append(list)
        for name in others.names where !names.contains(name) { names.append(name) }
        hasPaused = hasPaused || others.hasPaused
    }

    /// All options of aria2 1.36 and 1.37, except those that are used. Its session files have every option of a download
    /// that differs from the default.
    static let known = Set(
        """
        all-proxy all-proxy-passwd all-proxy-user allow-overwrite allow-piece-length-change always-resume async-dns
        async-dns-server auto-file-renaming auto-save-interval bt-detach-seed-only bt-enable-hook-after-hash-check
        bt-enable-lpd bt-exclude-tracker bt-external-ip bt-force-encryption bt-hash-check-seed
        bt-load-saved-metadata bt-lpd-interface bt-max-open-files bt-max-peers bt-metadata-only bt-min-crypto-level
        bt-prioritize-piece bt-remove-unselected-file bt-request-peer-speed-limit bt-require-crypto
        bt-save-metadata bt-seed-unverified bt-stop-timeout bt-tracker bt-tracker-connect-timeout
        bt-tracker-interval bt-tracker-timeout ca-certificate certificate check-certificate check-integrity
        conditional-get conf-path connect-timeout console-log-level content-disposition-default-utf8 continue
        daemon deferred-input dht-entry-point dht-entry-point6 dht-file-path dht-file-path6 dht-listen-addr6
        dht-listen-port dht-message-timeout disable-ipv6 disk-cache download-result dry-run dscp enable-async-dns6
        enable-color enable-dht enable-dht6 enable-http-keep-alive enable-http-pipelining enable-mmap
        enable-peer-exchange enable-rpc event-poll file-allocation follow-metalink follow-torrent force-save
        force-sequential ftp-passwd ftp-pasv ftp-proxy ftp-proxy-passwd ftp-proxy-user ftp-reuse-connection
        ftp-type ftp-user gid hash-check-only http-accept-gzip http-auth-challenge http-no-cache http-proxy
        http-proxy-passwd http-proxy-user https-proxy https-proxy-passwd https-proxy-user human-readable index-out
        input-file interface keep-unfinished-download-result listen-port load-cookies log log-level
        lowest-speed-limit max-concurrent-downloads max-connection-per-server max-download-limit
        max-download-result max-file-not-found max-mmap-limit max-overall-download-limit max-overall-upload-limit
        max-resume-failure-tries max-tries max-upload-limit metalink-base-uri metalink-enable-unique-protocol
        metalink-file metalink-language metalink-location metalink-os metalink-preferred-protocol metalink-version
        min-split-size min-tls-version multiple-interface netrc-path no-conf no-file-allocation-limit no-netrc
        no-proxy on-bt-download-complete on-download-complete on-download-error on-download-pause on-download-start
        on-download-stop optimize-concurrent-downloads parameterized-uri pause pause-metadata peer-agent
        peer-id-prefix piece-length private-key proxy-method quiet realtime-chunk-checksum remote-time
        remove-control-file retry-wait reuse-uri rlimit-nofile rpc-allow-origin-all rpc-certificate rpc-listen-all
        rpc-listen-port rpc-max-request-size rpc-passwd rpc-private-key rpc-save-upload-metadata rpc-secret
        rpc-secure rpc-user save-cookies save-not-found save-session save-session-interval seed-ratio seed-time
        select-file server-stat-if server-stat-of server-stat-timeout show-console-readout show-files
        socket-recv-buffer-size split ssh-host-key-md stderr stop stop-with-process stream-piece-selector
        summary-interval timeout torrent-file truncate-console-readout uri-selector use-head
        """.split { $0 == " " || $0 == "\n" }.map(String.init)
    )
}
