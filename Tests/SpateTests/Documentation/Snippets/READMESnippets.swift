import Foundation
import Spate

private func firstScreen(_ urls: [URL]) async {
    // snippet
    let manager = DownloadManager.shared  // three downloads at a time; the others wait
    manager.download(urls)  // starts them, or continues their partial files
    manager.pause(urls[0])  // frees its slot, keeps the partial file
    manager.resume(urls[0])  // requests only the missing bytes
    for await (url, result) in manager.results(of: urls) { print(url, result) }  // the file or the error of each
    // end
}
