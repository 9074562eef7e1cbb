/// Options of curl, wget, wget2 and aria2, and what to use here instead.
struct ForeignOption {
    let spellings: [String]
    let answer: String

    static func answer(to option: String) -> String? {
        all.first { $0.spellings.contains(option) }?.answer
    }

    static let all = answers.map { spellings, answer in
        ForeignOption(spellings: spellings.split(separator: " ").map(String.init), answer: answer)
    }

    private static let answers: KeyValuePairs<String, String> = [
        // Names and folders
        "-O --remote-name --remote-name-all --output-document --out --name --filename --index-out --default-page":
            "files are named after their URLs, or by their server (--names WHO); to choose the name, give --output NAME",
        "-J --remote-header-name --content-disposition":
            "to take the names of files from their server, give --names server",
        "--trust-server-names":
            "redirects do not change a file's name; to take the name from the server, give --names server",
        "-P --directory-prefix --output-dir --outdir --dir --folder --destination":
            "to choose the folder, give --directory DIR",
        "--create-dirs": "missing folders are always created; leave this out",
        "--input-file --list --force-metalink": "to read URLs from a file, give --input FILE",
        "--url": "give the URL without an option before it",
        "-c -C --continue --continue-at --always-resume --max-resume-failure-tries --remove-control-file":
            "partial files are always continued; leave this out",
        "-nc --no-clobber":
            "files that Spate did not make are only replaced with --overwrite; to take any file of the name for the "
            + "right one, give --skip-existing",
        "--allow-overwrite --clobber --force": "to replace a file that is already there, give --overwrite",
        "-N --timestamping -z --time-cond --conditional-get --etag-compare --etag-save":
            "finished files are not fetched again; to fetch those that have changed on the server, give --update",
        "--use-server-timestamps --no-use-server-timestamps --no-remote-time":
            "files have the time at which they were fetched; to give them the server's, give --remote-time",
        "--auto-file-renaming --no-auto-file-renaming":
            "a second URL that gives the same name gets another one, and a file that Spate did not make is only replaced "
            + "with --overwrite; leave this out",
        "--force-directories --directories --protocol-directories":
            "for folders from the URL, its host and its path, give --url-folders",
        "-nd --no-directories": "all files go into one folder, unless --url-folders is given; leave this out",
        "-nH --no-host-directories":
            "--url-folders always begins with the host; to leave out folders of the path, give --cut-dirs N",
        "--remove-on-error --no-unlink --unlink --backups":
            "a file gets its name when it is complete, and replaces an old one only then; leave this out",
        "--metalink-file --follow-metalink":
            "for a Metalink, give --metalink FILE or its URL; if the file's server names it, --metalink-from-server",
        // How much at once, how fast, how long, and how often again
        "--max-concurrent-downloads --max-threads --parallel-max --concurrency --threads":
            "to choose how many downloads run at once, give --jobs N",
        "-Z --parallel --parallel-immediate --optimize-concurrent-downloads":
            "as many downloads run at once as help; to choose the number, give --jobs N",
        "--max-connection-per-server --split --min-split-size --chunk-size":
            "to choose how many connections fetch one file, give --connections N; to limit those to a host, "
            + "--max-per-host N",
        "--max-download-limit --max-overall-download-limit":
            "to limit the speed of all downloads together, give --limit-rate RATE",
        "--max-filesize": "to refuse large files, give --max-size SIZE",
        "-t --tries --retry --max-tries": "to choose how many retries without progress are made, give --retries N",
        "--retry-delay --retry-wait --waitretry --retry-max-time":
            "the delay grows with each retry and follows the server's Retry-After; to choose how many retries are "
            + "made, give --retries N",
        "-T --connect-timeout --read-timeout": "to end an attempt that receives nothing, give --timeout SECONDS",
        "--retry-connrefused --retry-all-errors --retry-on-http-error --retry-on-host-error":
            "errors that may pass, such as a refused connection or status 503, are always retried, and others, such as "
            + "404, are not; to choose how often, give --retries N",
        "--wait --random-wait --rate":
            "there is no pause between files; to ask less of a server, give --jobs 1, --max-per-host 1 or --limit-rate "
            + "RATE",
        "--lowest-speed-limit -y -Y":
            "to end an attempt that is too slow, give --speed-limit RATE, and --speed-time SECONDS",
        "--force-sequential": "to fetch one file after the other, give --jobs 1",
        "--file-allocation --no-file-allocation-limit --disk-cache --enable-mmap --fsync-policy":
            "room on the disk is reserved and files are synced as each file system needs it; leave this out",
        "--uri-selector --stream-piece-selector --piece-length --reuse-uri --deferred-input":
            "this is chosen automatically; leave this out",
        "-m": "to limit the time of each file, give --max-time SECONDS",
        "--stop --stop-with-process":
            "to limit the time of each file, give --max-time SECONDS; to limit the whole run, use timeout(1): timeout 60 "
            + "spate …",
        // Certificates, logins and proxies
        "-k --insecure --no-check-certificate --check-certificate":
            "certificates are always checked; to trust your own, give --cacert FILE",
        "--ca-certificate": "to trust your own certificates, give --cacert FILE",
        "-E --certificate": "to show a certificate of yours, give --cert FILE, and --key FILE for its key",
        "--private-key": "to name the key of the certificate, give --key FILE",
        "--pass --cert-type --key-type --certificate-type --private-key-type":
            "--cert FILE and --key FILE take PEM files, and a key without a passphrase: openssl pkey makes a copy of it",
        "-u --user --http-user --http-passwd --http-password --password":
            "others can read a password in a command line; put the login into a file and give --netrc-file FILE, or "
            + "into a URL in a list: https://USER:PASSWORD@host/",
        "-n --netrc-optional --netrc-path": "to read logins from ~/.netrc, give --netrc, or --netrc-file FILE",
        "--no-netrc": "~/.netrc is only read with --netrc; leave this out",
        "--all-proxy --http-proxy --https-proxy":
            "to choose a proxy, give --proxy http://HOST:PORT; without it, the environment's is used (https_proxy)",
        "--socks4 --socks4a --socks5 --socks5-hostname":
            "to choose a SOCKS proxy, give --proxy socks5h://HOST:PORT, or with socks4, socks4a or socks5",
        "--preproxy": "requests go by one proxy, which --proxy URL chooses",
        "--proxy-user --proxy-password --proxy-passwd --all-proxy-user --all-proxy-passwd --http-proxy-user "
            + "--http-proxy-passwd --https-proxy-user --https-proxy-passwd":
            "put the login into the proxy's URL: --proxy http://USER:PASSWORD@HOST:PORT, or https_proxy in the environment",
        "--noproxy --no-proxy":
            "for no proxy at all, give --proxy none; exceptions are set in the environment: no_proxy=HOST",
        // What is sent, and what is done with responses
        "-H": "to send a header, give --header 'Name: value'",
        "-U --user-agent": "give --header 'User-Agent: NAME'",
        "-A":
            "to name a program (curl's -A), give --header 'User-Agent: NAME'; links in pages are not followed (wget's -A)",
        "-e --referer": "give --header 'Referer: URL'",
        "-b --cookie --load-cookies":
            "to send the cookies of a file, give --cookies FILE; to send one, --header 'Cookie: NAME=VALUE'",
        "-L --location": "redirects are always followed; leave this out",
        "-f --fail": "a response such as 404 is always a failure; leave this out",
        "-X -F --request --data --data-ascii --data-binary --data-raw --data-urlencode --form --form-string --post-data "
            + "--post-file --method --body-data --body-file --upload-file --get --url-query":
            "only GET requests are made; for others, use curl",
        "--dump-header --include --save-headers --server-response":
            "headers of responses are not shown; to see them, use curl -I URL",
        "-I --head --spider --dry-run --use-head":
            "whole files are fetched; to see only the response header, use curl -I URL",
        "-r --range --recursive --start-pos":
            "only whole files are fetched, and only the given URLs; links in pages are not followed",
        "--oauth2-bearer":
            "put the line 'Authorization: Bearer TOKEN' into a file, and give --header @FILE",
        "--aws-sigv4": "to sign the requests of each attempt, give --refresh-command PROGRAM",
        "--basic --anyauth --digest --ntlm --negotiate --auth-no-challenge --http-auth-challenge":
            "logins are sent with the first request, and as Basic only; leave this out, or use curl",
        "-g --globoff":
            "brackets and braces in a URL are not expanded; leave this out, and write those of a URL as %5B %5D %7B %7D",
        "--fail-with-body --content-on-error":
            "a response such as 404 is always a failure, and its page is not stored; leave this out",
        "--fail-early --max-file-not-found":
            "the other downloads go on, and the exit code is 1 if any has failed; leave this out",
        "--max-redirect": "to follow fewer redirects, give --max-redirs N",
        "--location-trusted":
            "redirects are followed, but a login is not sent to another host; leave this out",
        "--no-cache --http-no-cache --cache": "to pass by caches, give --header 'Cache-Control: no-cache'",
        "--ignore-length --ignore-content-length":
            "a file of another length than its server says is incomplete, and is never kept as finished; leave this out",
        "--compressed --compression --tr-encoding --http-accept-gzip":
            "files are stored as the server has them; unpack them afterwards",
        "--http1.0 --http1.1 --http2 --http2-prior-knowledge --http3 -0 -4 -6 --ipv4 --ipv6 --inet4-only --inet6-only "
            + "--prefer-family --disable-ipv6 --http-keep-alive --enable-http-keep-alive --enable-http-pipelining "
            + "--no-keepalive --keepalive-time --tcp-fastopen --tcp-nodelay":
            "this is chosen automatically for each connection; leave this out",
        "--check-integrity":
            "to repair a file by the pieces of its Metalink: spate repair -M FILE; to check a folder: spate verify",
        "--md5 --sha1 --sha256 --sha512 --hash":
            "to check a file, give --checksum ALG:HEX, as in --checksum sha256:2c26…; for several, --checksums FILE",
        // What is printed
        "-s": "to be quiet (curl's -s), give --quiet; to split files (aria2's -s), --connections N",
        "-nv --silent --no-verbose --console-log-level": "to see only errors, give --quiet",
        "-S --show-error": "errors are always shown; leave this out",
        "-# --progress-bar --show-progress --force-progress --no-progress-meter --summary-interval --report-speed "
            + "--show-console-readout --human-readable --download-result":
            "progress is always shown on a terminal; to choose how, give --progress MODE",
        "-w":
            "to see all events (curl's -w), give --json; there is no pause between files (wget's -w), but --jobs 1 and "
            + "--limit-rate RATE",
        "--write-out --trace --trace-ascii --debug": "to see all events, give --json or --log FILE",
        "-a --output-file --append-output --log-file --log-level": "to log all events, give --log FILE",
        "-l": "to log all events (aria2's -l), give --log FILE; links in pages are not followed (wget's -l)",
        "--on-download-complete --on-bt-download-complete":
            "to run a program for each finished file, give --on-finish PROGRAM",
        "--on-download-error": "to run a program for each failed download, give --on-failure PROGRAM",
        "--on-download-start --on-download-pause --on-download-stop":
            "programs are run at the end of each download: --on-finish PROGRAM and --on-failure PROGRAM; to see starts, "
            + "give --json",
        "--background --daemon": "to run in the background: nohup spate … &",
        "--color --no-color --enable-color": "to turn colours off, set NO_COLOR=1 in the environment",
        // The network
        "--interface --bind-address --multiple-interface --local-port":
            "the system chooses where requests leave from: see ip route",
        "--resolve --connect-to":
            "the system looks names up; for another address of a host, add a line to /etc/hosts",
        "--dns-servers --doh-url --async-dns --async-dns-server --dns-timeout --no-dns-cache --dns-caching "
            + "--dns-interface --dns-ipv4-addr --dns-ipv6-addr":
            "the system looks names up: see /etc/resolv.conf",
        "--tlsv1 --tlsv1.0 --tlsv1.1 --tlsv1.2 --tlsv1.3 --tls-max --tls13-ciphers --ciphers --curves "
            + "--secure-protocol --min-tls-version":
            "TLS versions and ciphers are those that the system's TLS library allows; leave this out",
        "--proto --proto-redir --proto-default --https-only --ssl --ssl-reqd":
            "only http and https URLs are fetched, and no redirect leads from https to http; leave this out",
        "--hsts --no-hsts --hsts-file": "no list of https hosts is kept; give https URLs, and leave this out",
        "--save-cookies --cookie-jar --keep-session-cookies --junk-session-cookies --no-cookies":
            "cookies from servers are neither kept nor sent; to send those of a file, give --cookies FILE",
        "--unix-socket --abstract-unix-socket": "servers are reached over TCP only; use curl",
        "-p --proxytunnel":
            "https always goes through a proxy's tunnel (curl's -p); links in pages are not followed (wget's -p)",
        // Pages and archives
        "-np --no-parent --parent --page-requisites --level --accept --reject --accept-regex --reject-regex "
            + "--regex-type --domains --exclude-domains --span-hosts --relative --include-directories "
            + "--exclude-directories --follow-tags --ignore-tags --convert-links --convert-file-only --backup-converted "
            + "--adjust-extension --html-extension --delete-after --force-html --filter-urls --filter-mime-type "
            + "--robots":
            "links in pages are not followed, only the given URLs are fetched; for whole sites, use wget",
        "--warc-file --warc-cdx --warc-header --warc-dedup --warc-max-size": "archives are not written; use wget",
        // Sessions, settings and other protocols
        "--save-session --save-session-interval --auto-save-interval --session-file --force-save --save-not-found":
            "what is unfinished or has failed is kept automatically, and spate resume continues it; to read a session "
            + "file of aria2, give --input FILE",
        "--pause": "downloads start at once; on a terminal, space pauses one; leave this out",
        "-K --config --conf-path --execute --no-conf --no-config --disable":
            "there is no configuration file; leave this out, and put URLs into a list for --input FILE",
        "--enable-rpc --rpc-listen-port --rpc-listen-all --rpc-secret --rpc-user --rpc-passwd "
            + "--rpc-allow-origin-all --rpc-secure --rpc-certificate --rpc-private-key --rpc-max-request-size":
            "there is no remote control; to follow a run, read --json, and to add downloads, start another spate",
        "--seed-time --seed-ratio --torrent-file --follow-torrent --listen-port --select-file --show-files "
            + "--enable-dht --bt-tracker --bt-max-peers --bt-save-metadata --max-upload-limit "
            + "--max-overall-upload-limit":
            "BitTorrent is not supported; use aria2c",
        "--parameterized-uri":
            "braces and brackets in a URL are not expanded; the shell does it, without quotes: file{1..3}.jpg",
        "-V": "give --version",
    ]
}
