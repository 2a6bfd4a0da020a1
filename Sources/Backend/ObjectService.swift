package import HatoWire
package import ObjectModel

/// The verbs of an application's objects.
///
/// Class rules are asked here, by `AccessPolicy`, before a queue is troubled; the store asks the same
/// policy again inside the transaction, where it counts.
package struct ObjectService: Sendable {
    private let application: Application
    private let store: any ObjectStore
    private let loopIndex: Int

    /// Takes the loop that the calls come from: point reads go through its own reader.
    package init(application: Application, store: any ObjectStore, loopIndex: Int) {
        self.application = application
        self.store = store
        self.loopIndex = loopIndex
    }

    /// What a create answers.
    package struct Created: Sendable {
        package let id: Text
        package let created: Timestamp
    }

    /// Stores a new object; `acl` nil: the class's default.
    package func create(
        _ className: ClassName,
        _ changes: [FieldChange],
        acl: ACL?,
        by principal: Principal
    ) async throws(DomainError) -> Created {
        try permit(.create, className, principal)
        let outcome = try await store.commit(
            .create(className: className, changes: changes, acl: acl, by: principal)
        )
        guard case .created(let id, let created) = outcome else {
            throw DomainError(.system, cause: "a create's outcome is no creation")
        }
        return Created(id: id, created: created)
    }

    /// Changes an object; returns its new `updateDate`.
    package func update(
        _ className: ClassName,
        _ id: Text,
        _ changes: [FieldChange],
        acl: ACL?,
        by principal: Principal
    ) async throws(DomainError) -> Timestamp {
        try permit(.update, className, principal)
        let mutation = Mutation.update(
            className: className,
            id: id,
            changes: changes,
            acl: acl,
            by: principal
        )
        do throws(DomainError) {
            guard case .updated(let moment) = try await store.commit(mutation) else {
                throw DomainError(.system, cause: "an update's outcome is no update")
            }
            return moment
        } catch {
            throw try disguised(error, className, id, principal)
        }
    }

    package func delete(
        _ className: ClassName,
        _ id: Text,
        by principal: Principal
    ) async throws(DomainError) {
        try permit(.delete, className, principal)
        do throws(DomainError) {
            _ = try await store.commit(.delete(className: className, id: id, by: principal))
        } catch {
            throw try disguised(error, className, id, principal)
        }
    }

    /// Appends an object's JSON to `output`; on the loop's thread only.
    ///
    /// Errors: `notFound`, `forbidden` (`notFound` too, where `hidesUnreadable` is set).
    package func append(
        _ className: ClassName,
        _ id: Text,
        as principal: Principal,
        to output: inout [UInt8]
    ) throws(DomainError) {
        try permit(.get, className, principal)
        switch try store.reader(onLoop: loopIndex).append(className, id, as: principal, to: &output)
        {
        case .found: return
        case .missing: throw DomainError(.notFound)
        case .forbidden:
            throw DomainError(application.settings.hidesUnreadable ? .notFound : .forbidden)
        }
    }

    /// Answers a query with what the principal may read.
    package func list(
        _ query: Query,
        as principal: Principal
    ) async throws(DomainError) -> ObjectList {
        try permit(.find, query.className, principal)
        return try await store.list(query, as: principal)
    }

    /// Returns what the asker is told of a refused write: where `hidesUnreadable` is set, an object
    /// that the asker may not even read is not there.
    private func disguised(
        _ error: DomainError,
        _ className: ClassName,
        _ id: Text,
        _ principal: Principal
    ) throws(DomainError) -> DomainError {
        guard error.code == .forbidden, application.settings.hidesUnreadable else { return error }
        var ignored: [UInt8] = []
        switch try store.reader(onLoop: loopIndex).append(
            className,
            id,
            as: principal,
            to: &ignored
        ) {
        case .found: return error
        case .forbidden, .missing: return DomainError(.notFound)
        }
    }

    private func permit(
        _ action: AccessPolicy.Action,
        _ className: ClassName,
        _ principal: Principal
    ) throws(DomainError) {
        let policy = AccessPolicy(
            principal: principal,
            settings: store.settings(of: className)
        )
        guard policy.isPermitted(action) else { throw DomainError(.forbidden) }
    }
}
