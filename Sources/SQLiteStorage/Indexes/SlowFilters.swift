import HatoWire
import ObjectModel

/// What a filter that had to look at many documents has cost so far.
struct SlowFilter: Sendable {
    var className: ClassName
    /// The filter without its values: `room = ?, n > ?`.
    var shape: Text
    var lists = 0
    var duration = Duration.zero
    var examinedRows: Int64 = 0
}

/// The most expensive filters, bounded.
struct SlowFilters: Sendable {
    private struct Key: Hashable, Sendable {
        let className: ClassName
        let shape: Text
    }

    private static let limit = 128

    private var filters: [Key: SlowFilter] = [:]

    mutating func note(_ query: Query, _ cost: ListCost) {
        let key = Key(className: query.className, shape: query.shape)
        if filters[key] == nil, filters.count >= SlowFilters.limit,
            let cheapest = filters.min(by: { $0.value.duration < $1.value.duration })?.key
        {
            filters[cheapest] = nil
        }
        var filter = filters[key] ?? SlowFilter(className: key.className, shape: key.shape)
        filter.lists += 1
        filter.duration += cost.duration
        filter.examinedRows += Int64(cost.examinedRows)
        filters[key] = filter
    }

    func filters(of className: ClassName) -> [SlowFilter] {
        filters.values.filter { $0.className == className }
            .sorted { $0.duration > $1.duration }
    }
}
