/// A large value that few of many owners have. Without one it takes one word; with one, memory of its own, which copies
/// share.
@propertyWrapper struct Rare<Value> {
    /// The box of the value, to ask at no cost whether there is one.
    private(set) var projectedValue: Box<Value>?

    var wrappedValue: Value? {
        get { projectedValue?.value }
        set { projectedValue = newValue.map { Box($0) } }
    }
}

extension Rare: Sendable where Value: Sendable {}

extension Rare: Equatable where Value: Equatable {
    static func == (left: Rare, right: Rare) -> Bool {
        left.projectedValue === right.projectedValue || left.wrappedValue == right.wrappedValue
    }
}

extension Rare: Hashable where Value: Hashable {
    func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}

/// A value in memory of its own.
final class Box<Value> {
    var value: Value

    init(_ value: Value) {
        self.value = value
    }
}

// Only an owner without copies changes it in place.
extension Box: @unchecked Sendable where Value: Sendable {}
