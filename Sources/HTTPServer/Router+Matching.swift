import HatoWire

extension Router {
    /// Where a path leads.
    struct Match {
        /// The node that it ends at.
        let node: Int
        let parameters: [Range<Int>]
    }

    /// Finds the node of the path that lies at `path` in `head`; nil when no route ends there.
    func match(_ head: Span<UInt8>, _ path: Range<Int>) -> Match? {
        guard !path.isEmpty, head[path.lowerBound] == UInt8(ascii: "/") else { return nil }
        var parameters: [Range<Int>] = []
        guard let node = walk(from: 0, head, path.lowerBound + 1, path.upperBound, &parameters)
        else {
            return nil
        }
        return Match(node: node, parameters: parameters)
    }

    /// The depth is that of the longest pattern, whatever the path.
    private func walk(
        from node: Int,
        _ head: Span<UInt8>,
        _ start: Int,
        _ end: Int,
        _ parameters: inout [Range<Int>]
    ) -> Int? {
        // Behind the last segment, or behind one slash at the end.
        guard start < end else { return nodes[node].isEnd ? node : nil }
        var stop = start
        var isCoded = false
        while stop < end, head[stop] != UInt8(ascii: "/") {
            if head[stop] == UInt8(ascii: "%") { isCoded = true }
            stop &+= 1
        }
        guard stop > start else { return nil }
        for index in nodes[node].literals.indices
        where matches(nodes[node].literals[index].segment, head, start, stop, isCoded) {
            let next = nodes[node].literals[index].node
            if let found = walk(from: next, head, stop + 1, end, &parameters) { return found }
        }
        guard let next = nodes[node].parameter else { return nil }
        parameters.append(start..<stop)
        if let found = walk(from: next, head, stop + 1, end, &parameters) { return found }
        parameters.removeLast()
        return nil
    }

    private func matches(
        _ segment: [UInt8],
        _ head: Span<UInt8>,
        _ start: Int,
        _ stop: Int,
        _ isCoded: Bool
    ) -> Bool {
        if segment.count == stop - start {
            var index = 0
            while index < segment.count, segment[index] == head[start &+ index] {
                index &+= 1
            }
            if index == segment.count { return true }
        }
        guard isCoded else { return false }
        let raw = head.extracting(start..<stop).withUnsafeBufferPointer { ArraySlice($0) }
        return PercentCoding.decode(raw) == segment
    }

    /// The route for `method` at `node`; HEAD falls back to GET.
    func route(_ method: HTTPMethod, at node: Int) -> Route? {
        if let direct = routes[Router.index(of: method, at: node)] { return direct }
        return method == .head ? routes[Router.index(of: .get, at: node)] : nil
    }

    /// The value of Allow for `node`, or for the server as a whole: `GET, HEAD, OPTIONS`.
    func allowedMethods(at node: Int?) -> String {
        let isAllowed = { (method: HTTPMethod) -> Bool in
            guard let node else { return table.contains { $0.method == method } }
            return routes[Router.index(of: method, at: node)] != nil
        }
        var names: [String] = []
        for method in HTTPMethod.allCases
        where isAllowed(method) || (method == .head && isAllowed(.get)) || method == .options {
            names.append(method.name.description)
        }
        return names.joined(separator: ", ")
    }

    /// Whether a WebSocket can be opened at `node`.
    func webSocketRoute(at node: Int) -> Route? {
        guard let get = routes[Router.index(of: .get, at: node)], case .webSocket = get.handler
        else { return nil }
        return get
    }
}
