package import HatoWire
package import ObjectModel

/// The verbs of an application's objects.
///
/// Whether a caller may is for the store to say: it asks `AccessPolicy` inside the transaction, with the
/// rules that are in force then.
package struct ObjectService: Sendable {
    private let store: any ObjectStore
    private let loopIndex: Int
    private let disguise: ReadDisguise

    /// Takes the loop that the calls come from: point reads go through its own reader.
    package init(application: Application, store: any ObjectStore, loopIndex: Int) {
        self.store = store
        self.loopIndex = loopIndex
        self.disguise = ReadDisguise(
            application: application,
            store: store,
            loopIndex: loopIndex
        )
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
            throw try disguise.of(error, className, id, principal)
        }
    }

    package func delete(
        _ className: ClassName,
        _ id: Text,
        by principal: Principal
    ) async throws(DomainError) {
        do throws(DomainError) {
            _ = try await store.commit(.delete(className: className, id: id, by: principal))
        } catch {
            throw try disguise.of(error, className, id, principal)
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
        switch try store.reader(onLoop: loopIndex).append(className, id, as: principal, to: &output)
        {
        case .found: return
        case .missing: throw DomainError(.notFound)
        case .forbidden: throw disguise.unreadable
        }
    }

    /// Answers a query with what the principal may read, inside the envelope.
    package func list(
        _ query: Query,
        in envelope: ListEnvelope = .bare,
        as principal: Principal
    ) async throws(DomainError) -> ObjectList {
        try await store.list(query, in: envelope, as: principal)
    }
}
