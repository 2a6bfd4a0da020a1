/// The items of a raw query, `a=1&b&c=`, in order.
///
/// Empty items (`&&`) are left out; an item without `=` has no value, which is not the same as an
/// empty one.
package struct QueryString: Sequence {
    /// One item, still percent-coded.
    package struct Item: Sendable, Hashable {
        package let rawName: ArraySlice<UInt8>
        package let rawValue: ArraySlice<UInt8>?

        /// The name with its percent-coding taken off; `+` is a space.
        package var name: String { PercentCoding.text(rawName, plusIsSpace: true) }
        /// The value with its percent-coding taken off; `+` is a space.
        ///
        /// Empty if there is none.
        package var value: String {
            rawValue.map { PercentCoding.text($0, plusIsSpace: true) } ?? ""
        }
    }

    package let bytes: ArraySlice<UInt8>

    /// Creates the items of a query as sent, without its `?`; nil is a query without items.
    package init(_ rawQuery: ArraySlice<UInt8>?) {
        bytes = rawQuery ?? []
    }

    package func makeIterator() -> Iterator {
        Iterator(rest: bytes)
    }

    /// Returns the first item whose decoded name is `name`, compared by bytes.
    package func first(_ name: StaticString) -> Item? {
        first { item in
            let decoded = PercentCoding.decode(item.rawName, plusIsSpace: true)
            return HTTPByte.equal(decoded.span, 0..<decoded.count, name)
        }
    }

    /// Returns the decoded value of the first item of that name: nil if there is none, empty if it
    /// has no value.
    package func value(_ name: StaticString) -> String? {
        first(name)?.value
    }

    package struct Iterator: IteratorProtocol {
        private var rest: ArraySlice<UInt8>

        init(rest: ArraySlice<UInt8>) {
            self.rest = rest
        }

        package mutating func next() -> Item? {
            while !rest.isEmpty {
                let end = rest.firstIndex(of: UInt8(ascii: "&")) ?? rest.endIndex
                let item = rest[rest.startIndex..<end]
                rest = rest[end...].dropFirst()
                guard !item.isEmpty else { continue }
                guard let equals = item.firstIndex(of: HTTPByte.equals) else {
                    return Item(rawName: item, rawValue: nil)
                }
                return Item(
                    rawName: item[item.startIndex..<equals],
                    rawValue: item[equals...].dropFirst()
                )
            }
            return nil
        }
    }
}
