/// A large value that few attempts have. Without one it takes one word; with one, memory of its own.
@propertyWrapper struct Rare<Value> {
    final class Box {
        var value: Value

        init(_ value: Value) {
            self.value = value
        }
    }

    /// The box of the value, to change it in place.
    private(set) var projectedValue: Box?

    var wrappedValue: Value? {
        get { projectedValue?.value }
        set { projectedValue = newValue.map { Box($0) } }
    }
}
