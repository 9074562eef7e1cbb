import Foundation
import Spate

private func name(_ url: URL, _ manager: DownloadManager) async throws {
    // snippet
    var request = DownloadRequest(url)
    request.naming = .automatic  // or .server, or .url, the default
    let file = try await manager.file(for: request)  // "report 2024.zip"
    // end
    _ = file
}

private func place(_ url: URL, _ manager: DownloadManager) {
    var request = DownloadRequest(url)
    // snippet
    request.placement = .urlFolders()  // https://host/a/b/file.zip goes into host/a/b
    request.placement = .urlFolders(cutting: 1)  // into host/b
    // end
    manager.download(request)
}

private func path(_ url: URL, _ manager: DownloadManager) {
    var request = DownloadRequest(url)
    // snippet
    request.relativePath = "onnx/model.onnx"  // the file model.onnx in the folder onnx
    // end
    manager.download(request)
}
