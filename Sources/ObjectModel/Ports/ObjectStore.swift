package import HatoWire
package import Telemetry

/// The port behind which one application's objects live.
///
/// A success of `commit` is durable before it is returned. Changes are told to the observer after
/// their commit, in commit order. A read that starts after a commit was acknowledged sees it.
package protocol ObjectStore: AnyObject, Sendable {
    /// Applies one mutation; many are committed together, and one that is refused changes nothing.
    /// A task that is cancelled meanwhile changes nothing either: what is queued is committed.
    ///
    /// Errors: `notFound` (no such object), `forbidden` (the policy refuses), `duplicate` with the
    /// field as subject, `documentTooLarge`, `unavailable` (queue or disk full, closing).
    func commit(_ mutation: Mutation) async throws(DomainError) -> Outcome

    /// Returns the reader that belongs to one loop; used on that loop's thread only.
    func reader(onLoop index: Int) throws(DomainError) -> any ObjectReader

    /// Answers a query from the reader pool.
    ///
    /// Absent class: no objects. Objects that the principal may not read are not there. When the task
    /// is cancelled, a list that waits is not begun and one that runs ends within a millisecond or so.
    /// Errors: `unavailable` (pool full, deadline, cancelled, closing, no room among all answers),
    /// `invalidValue` (answer over 32 MB).
    func list(
        _ query: Query,
        in envelope: ListEnvelope,
        as principal: Principal
    ) async throws(DomainError) -> ObjectList

    /// The class's current settings; any thread.
    func settings(of className: ClassName) -> ClassSettings

    /// The classes there are, by name, with the number of their objects.
    ///
    /// Errors: `unavailable` (as `list`, with its deadline).
    func classes() async throws(DomainError) -> [ClassSummary]

    /// Tells what is in a class; nil when there is no such class.
    ///
    /// Costs a walk over the class's ids and its indexes' keys, and a look at a bounded number of
    /// documents. Errors: `unavailable` (as `list`, with its deadline).
    func report(of className: ClassName) async throws(DomainError) -> ClassReport?

    /// Compares what the store keeps twice, and returns a sentence for each thing that is wrong.
    ///
    /// Reads all there is, in steps between which lists have their turn; writes go on meanwhile. After
    /// each step `tell` hears how far it is, one call at a time.
    /// Errors: `unavailable` (closing, or the file can't be opened).
    func verify(
        telling tell: @escaping @Sendable (Text) -> Void
    ) async throws(DomainError) -> [Text]
}

/// Point reads on a loop's own connection; one read transaction a turn.
package protocol ObjectReader: AnyObject {
    /// Appends the object's JSON to `output` (shape: `ObjectJSON`), if the principal may read it.
    ///
    /// The account's private fields are part of a `user` for its owner and the administrator.
    func append(
        _ className: ClassName,
        _ id: Text,
        as principal: Principal,
        to output: inout [UInt8]
    )
        throws(DomainError) -> ReadOutcome
    /// Returns the user of a session that is open and not expired.
    func session(tokenHash: [UInt8], now: Timestamp) throws(DomainError) -> SessionRecord?
    /// Returns the account by user name (bytes), or by id.
    func account(userName: Text) throws(DomainError) -> UserAccount?
    func account(id: Text) throws(DomainError) -> UserAccount?
    /// Returns the account whose mail address is `mailAddress`, confirmed or not.
    func account(mailAddress: Text) throws(DomainError) -> UserAccount?
}

/// An open session.
package struct SessionRecord: Sendable {
    package var userID: Text
    package var kind: NewSession.Kind
    package var expires: Timestamp

    package init(userID: Text, kind: NewSession.Kind, expires: Timestamp) {
        self.userID = userID
        self.kind = kind
        self.expires = expires
    }
}

/// What became of a read by id.
package enum ReadOutcome: Sendable {
    case found
    /// It exists, and the principal may not read it.
    case forbidden
    case missing
}

/// The answer to a query: objects in order, and how many there are in all when asked.
package struct ObjectList: Sendable {
    /// The objects' JSON, comma-separated, inside what its envelope wrote.
    package var json: [UInt8]
    package var count: Int?
    /// What was taken for `json` of the memory that all answers have; goes where the bytes go.
    package var room: ByteReservation?

    package init(json: [UInt8], count: Int?) {
        self.json = json
        self.count = count
    }
}

/// What stands around the objects of a list.
///
/// It is written by the thread that lists, into the same bytes: whoever answers adds nothing to them.
package struct ListEnvelope: Sendable {
    /// Appends what comes before the first object; `count` is there when it was asked for.
    package let open: @Sendable (_ count: Int?, inout [UInt8]) -> Void
    /// Appends what comes after the last one.
    package let close: @Sendable (inout [UInt8]) -> Void

    package init(
        open: @escaping @Sendable (_ count: Int?, inout [UInt8]) -> Void,
        close: @escaping @Sendable (inout [UInt8]) -> Void
    ) {
        self.open = open
        self.close = close
    }

    /// Nothing around the objects.
    package static let bare = ListEnvelope(open: { _, _ in }, close: { _ in })
}

extension ObjectStore {
    /// Compares what the store keeps twice, and tells nobody how far it is.
    package func verify() async throws(DomainError) -> [Text] {
        try await verify { _ in }
    }

    /// Answers a query with the objects alone.
    package func list(
        _ query: Query,
        as principal: Principal
    ) async throws(DomainError) -> ObjectList {
        try await list(query, in: .bare, as: principal)
    }
}
