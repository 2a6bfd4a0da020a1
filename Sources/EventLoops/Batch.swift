/// Elements that are taken one by one, maybe over more than one turn, before others are looked at.
struct Batch<Element> {
    private var elements: ContiguousArray<Element> = []
    private var taken = 0

    /// Storage of more elements is given back.
    private static var keptCapacity: Int { 4_096 }

    var isEmpty: Bool { taken == elements.count }

    /// Swaps all of `source` in; only when this is empty.
    mutating func refill(from source: inout ContiguousArray<Element>) {
        swap(&elements, &source)
    }

    mutating func takeFirst() -> Element? {
        guard taken < elements.count else { return nil }
        let element = elements[taken]
        taken += 1
        if taken == elements.count {
            elements.removeAll(keepingCapacity: elements.capacity <= Self.keptCapacity)
            taken = 0
        }
        return element
    }
}
