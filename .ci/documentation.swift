import Foundation

// Fails, and names them, where public symbols have no comment, or are in none of the documentation's topics.
//
//     swift .ci/documentation.swift SYMBOL-GRAPH ARCHIVE

struct Graph: Decodable {
    struct Symbol: Decodable {
        struct Comment: Decodable {}
        struct Location: Decodable { let uri: String }

        let pathComponents: [String]
        /// Its own, or one that it inherits: what implements a protocol has the protocol's.
        let docComment: Comment?
        /// `nil` of what the compiler makes by itself.
        let location: Location?
    }

    let symbols: [Symbol]
}

struct Page: Decodable {
    struct Section: Decodable {
        let title: String?
        let identifiers: [String]
        /// Made by docc of what stands in no topic.
        let generated: Bool?
    }

    let topicSections: [Section]?
}

func end(_ text: String) -> Never {
    FileHandle.standardError.write(Data("\(text)\n".utf8))
    exit(1)
}

guard CommandLine.arguments.count == 3 else { end("the paths of a symbol graph and of an archive are needed") }
let graphFile = URL(filePath: CommandLine.arguments[1])
let pages = URL(filePath: CommandLine.arguments[2]).appending(path: "data/documentation")
var faults: [String] = []

let graph = try JSONDecoder().decode(Graph.self, from: Data(contentsOf: graphFile))
for symbol in graph.symbols where symbol.docComment == nil {
    guard let location = symbol.location else { continue }
    let file = URL(string: location.uri)?.lastPathComponent ?? location.uri
    faults.append("\(symbol.pathComponents.joined(separator: ".")) in \(file) has no comment")
}

let paths = try FileManager.default.subpathsOfDirectory(atPath: pages.path).filter { $0.hasSuffix(".json") }
for path in paths where !path.hasSuffix("-implementations.json") {
    let page = try JSONDecoder().decode(Page.self, from: Data(contentsOf: pages.appending(path: path)))
    for section in page.topicSections ?? [] where section.generated == true {
        // What implements a protocol is listed under its name.
        if section.title == "Default Implementations" { continue }
        faults += section.identifiers.map { "\($0) is in no topic of \(path)" }
    }
}

if graph.symbols.isEmpty || paths.isEmpty { end("there is nothing to check") }
if !faults.isEmpty { end(faults.joined(separator: "\n")) }
print("\(graph.symbols.count) public symbols, each with a comment and in a topic; \(paths.count) pages")
