import Glibc

/// Whether this process was built with a sanitizer, which takes time of its own, and memory too.
package enum Sanitizer {
    package static let isPresent = dlsym(nil, "__tsan_init") != nil || dlsym(nil, "__asan_init") != nil
}
