package import HatoWire

/// One line of the router's table.
package struct RouteDescription: Sendable, Hashable {
    package let method: HTTPMethod
    /// As given to `Router.on`: `/2013-09-01/classes/{class}/{id}`.
    package let pattern: String
    package let isWebSocket: Bool
}

/// Finds the handler for a method and a path.
///
/// A pattern is static segments and `{name}`, each a whole segment that is not empty. A static
/// segment goes before a parameter. One slash at the end is tolerated. Matching walks the raw bytes
/// of the path; a static segment also matches its percent-coded form.
package struct Router: Sendable {
    /// Shared by reference: one count up and down a request.
    final class Route: Sendable {
        let handler: RouteHandler
        let bodyLimitBytes: Int?

        init(handler: RouteHandler, bodyLimitBytes: Int?) {
            self.handler = handler
            self.bodyLimitBytes = bodyLimitBytes
        }
    }

    struct Node: Sendable {
        var literals: [(segment: [UInt8], node: Int)] = []
        var parameter: Int?
        /// Whether a route ends here.
        var isEnd = false
        /// Whether pages ask here with credentials.
        var allowsCredentials = false
    }

    static let methodCount = HTTPMethod.allCases.count

    var nodes = [Node()]
    /// For each node the route of each method, by its raw value.
    var routes = [Route?](repeating: nil, count: methodCount)
    /// Every route, in the order it was added: what `api-spec` is compared with.
    package private(set) var table: [RouteDescription] = []

    package init() {}

    /// Adds a route for each of `methods`; HEAD follows from GET, OPTIONS is answered by itself.
    ///
    /// `bodyLimitBytes` replaces the server's limit for this route. A pattern that is there already
    /// with the same method is a mistake of ours and traps.
    package mutating func on(
        _ methods: [HTTPMethod],
        _ pattern: String,
        bodyLimitBytes: Int? = nil,
        _ handler: RouteHandler
    ) {
        precondition(pattern.utf8.first == UInt8(ascii: "/"), "a pattern begins with a slash")
        let node = node(for: pattern)
        let route = Route(handler: handler, bodyLimitBytes: bodyLimitBytes)
        nodes[node].isEnd = true
        var isWebSocket = false
        if case .webSocket = handler { isWebSocket = true }
        for method in methods {
            let index = Router.index(of: method, at: node)
            precondition(routes[index] == nil, "a route is added once")
            routes[index] = route
            table.append(
                RouteDescription(method: method, pattern: pattern, isWebSocket: isWebSocket)
            )
        }
    }

    /// Adds a route for one method.
    package mutating func on(
        _ method: HTTPMethod,
        _ pattern: String,
        bodyLimitBytes: Int? = nil,
        _ handler: RouteHandler
    ) {
        on([method], pattern, bodyLimitBytes: bodyLimitBytes, handler)
    }

    /// Lets pages that ask with credentials read the refusal of a method there; what its routes answer
    /// they say themselves.
    package mutating func allowCredentials(at pattern: String) {
        let node = node(for: pattern)
        nodes[node].allowsCredentials = true
    }

    /// Whether a route has a body limit of its own.
    var hasBodyLimits: Bool {
        routes.contains { $0?.bodyLimitBytes != nil }
    }

    /// Where the route of `method` at `node` is.
    static func index(of method: HTTPMethod, at node: Int) -> Int {
        node * methodCount + Int(method.rawValue)
    }

    private mutating func node(for pattern: String) -> Int {
        var current = 0
        for segment in pattern.utf8.split(separator: UInt8(ascii: "/")) {
            let isParameter = segment.first == UInt8(ascii: "{")
            if isParameter {
                precondition(segment.last == UInt8(ascii: "}"), "a parameter is a whole segment")
                if let next = nodes[current].parameter {
                    current = next
                    continue
                }
            } else if let next = nodes[current].literals.first(where: {
                $0.segment.elementsEqual(segment)
            }) {
                current = next.node
                continue
            }
            nodes.append(Node())
            routes.append(contentsOf: repeatElement(nil, count: Router.methodCount))
            let next = nodes.count - 1
            if isParameter {
                nodes[current].parameter = next
            } else {
                nodes[current].literals.append((Array(segment), next))
            }
            current = next
        }
        return current
    }
}
