import HatoWire
import ObjectModel
import SQLStorage

/// Creating, updating and deleting objects.
extension ObjectWriter {
    /// How often an id is drawn again when it is taken (54 random bits a millisecond).
    private static let idAttemptLimit = 4

    func create(
        _ className: ClassName,
        _ document: [UInt8],
        _ access: ObjectAccess?,
        by principal: Principal
    ) throws -> Outcome {
        try refuseUsers(className)
        let policy = policy(of: principal, in: className)
        guard policy.isPermitted(.create) else { throw DomainError(.forbidden) }
        let record = try existingOrNewClass(className)
        let object = try insert(
            document,
            in: record,
            id: nil,
            access: access ?? ObjectWriter.access(of: policy.defaultACL)
        )
        try log(.create, className, record, before: nil, after: object)
        return .created(id: object.id, created: object.created)
    }

    func update(
        _ className: ClassName,
        _ id: Text,
        _ changes: [FieldChange],
        _ access: ObjectAccess?,
        by principal: Principal
    ) throws -> Outcome {
        try refuseUsers(className)
        let policy = policy(of: principal, in: className)
        guard policy.isPermitted(.update) else { throw DomainError(.forbidden) }
        guard let record = state.directory[className] else { throw DomainError(.notFound) }
        let before = try object(id, in: record)
        guard policy.mayWrite(before.acl) else { throw DomainError(.forbidden) }
        let document = try FieldOperation.apply(
            changes,
            to: before.document,
            limits: limits.documents
        )
        let after = try rewrite(before, in: record, document: document, access: access)
        try log(.update, className, record, before: before, after: after)
        return .updated(after.updated)
    }

    func delete(_ className: ClassName, _ id: Text, by principal: Principal) throws -> Outcome {
        try refuseUsers(className)
        let policy = policy(of: principal, in: className)
        guard policy.isPermitted(.delete) else { throw DomainError(.forbidden) }
        guard let record = state.directory[className] else { throw DomainError(.notFound) }
        let before = try object(id, in: record)
        guard policy.mayWrite(before.acl) else { throw DomainError(.forbidden) }
        try remove(before, of: className, in: record)
        return .deleted
    }

    func policy(of principal: Principal, in className: ClassName) -> AccessPolicy {
        let settings = state.directory[className]?.settings ?? ClassSettings()
        return AccessPolicy(principal: principal, settings: settings)
    }

    /// Returns the object as it is now.
    ///
    /// Errors: `notFound`.
    func object(_ id: Text, in record: ClassRecord) throws -> StoredObject {
        let find = statements.findObject
        find.bind(1, record.rows.classNumber)
        find.bind(2, id)
        guard let object = try find.first({ $0.storedObject() }) else {
            throw DomainError(.notFound)
        }
        return object
    }

    /// Writes a new object under `givenID`, or under one that is drawn.
    func insert(
        _ document: [UInt8],
        in record: ClassRecord,
        id givenID: Text?,
        access: ObjectAccess
    ) throws -> StoredObject {
        let moment = stamp()
        let facts = ObjectFacts(id: "", created: moment, updated: moment)
        // First: what is refused gives no index up.
        try refuseOverfull(document, facts, row: record.rows.last, in: record)
        let keys = try keys(of: document, facts, row: nil, in: record)
        var object = StoredObject(
            row: record.rows.row(ofCreation: nextSequence()),
            id: givenID ?? drawID(at: moment),
            created: moment,
            updated: moment,
            acl: access.acl,
            document: document
        )
        var attempts = 1
        while try !inserts(object, in: record, isPublic: access.isPublic) {
            guard givenID == nil, attempts < ObjectWriter.idAttemptLimit else {
                throw DomainError(.system, cause: "no free object id")
            }
            attempts += 1
            object.id = drawID(at: moment)
        }
        try grant(access, to: object, in: record)
        try insert(keys, row: object.row, isPublic: access.isPublic)
        return object
    }

    /// Writes the object's new content, grants included.
    func rewrite(
        _ before: StoredObject,
        in record: ClassRecord,
        document: [UInt8],
        access: ObjectAccess?
    ) throws -> StoredObject {
        var after = before
        after.updated = stamp()
        after.document = document
        try refuseOverfull(
            document,
            ObjectFacts(id: after.id, created: after.created, updated: after.updated),
            replacing: before.document,
            row: after.row,
            in: record
        )
        let oldKeys = try keys(of: before, in: record)
        let newKeys = try keys(of: after, in: record)
        let wasPublic = before.acl.isPublicRead
        guard let access, access.acl != before.acl else {
            let update = statements.updateDocument
            update.bind(1, after.row)
            update.bind(2, after.updated)
            update.bind(3, utf8: document)
            try update.run()
            try replace(oldKeys, by: newKeys, row: after.row, isPublic: (wasPublic, wasPublic))
            return after
        }
        after.acl = access.acl
        let update = statements.updateObject
        update.bind(1, after.row)
        update.bind(2, after.updated)
        update.bind(3, utf8: document)
        update.bind(4, access.isPublic ? 1 : 0)
        update.bind(5, utf8: access.acl.json)
        try update.run()
        try revokeGrants(of: before, in: record)
        try grant(access, to: after, in: record)
        try replace(oldKeys, by: newKeys, row: after.row, isPublic: (wasPublic, access.isPublic))
        return after
    }

    /// Deletes the object with its grants, and logs it.
    func remove(_ before: StoredObject, of className: ClassName, in record: ClassRecord) throws {
        let keys = try keys(of: before, in: record)
        statements.deleteObject.bind(1, before.row)
        try statements.deleteObject.run()
        try revokeGrants(of: before, in: record)
        try remove(keys, row: before.row)
        try log(.delete, className, record, before: before, after: nil)
    }

    /// Writes the change into the log and notes it for the observer.
    ///
    /// A creation is logged by the object itself, whose row carries its sequence.
    func log(
        _ kind: Change.Kind,
        _ className: ClassName,
        _ record: ClassRecord,
        before: StoredObject?,
        after: StoredObject?
    ) throws {
        if let before {
            let insert = statements.insertChange
            insert.bind(1, nextSequence())
            insert.bind(2, after?.updated ?? stamp())
            insert.bind(3, kind.logNumber)
            insert.bind(4, before.row)
            insert.bind(5, before.id)
            insert.bind(6, before.created)
            insert.bind(7, before.updated)
            insert.bind(8, utf8: before.acl.json)
            insert.bind(9, utf8: before.document)
            try insert.run()
            loggedSinceUpkeep += 1
        }
        changes.append(
            Change(
                sequence: state.sequence,
                kind: kind,
                className: className,
                settings: record.settings,
                before: before,
                after: after
            )
        )
    }

    private func keys(of object: StoredObject, in record: ClassRecord) throws -> [IndexedKeys] {
        guard !record.indexes.isEmpty else { return [] }
        let facts = ObjectFacts(id: object.id, created: object.created, updated: object.updated)
        return try keys(of: object.document, facts, row: object.row, in: record)
    }

    private func inserts(
        _ object: StoredObject,
        in record: ClassRecord,
        isPublic: Bool
    ) throws
        -> Bool
    {
        let insert = statements.insertObject
        insert.bind(1, object.row)
        insert.bind(2, record.rows.classNumber)
        insert.bind(3, object.id)
        insert.bind(4, object.created)
        insert.bind(5, object.updated)
        insert.bind(6, isPublic ? 1 : 0)
        insert.bind(7, utf8: object.acl.json)
        insert.bind(8, utf8: object.document)
        do {
            try insert.run()
            return true
        } catch  where error.isConstraint {
            return false
        }
    }

    private func grant(
        _ access: ObjectAccess,
        to object: StoredObject,
        in record: ClassRecord
    )
        throws
    {
        for reader in access.readers {
            let insert = statements.insertGrant
            insert.bind(1, record.rows.classNumber)
            insert.bind(2, reader)
            insert.bind(3, object.created)
            insert.bind(4, object.row)
            try insert.run()
        }
    }

    private func revokeGrants(of object: StoredObject, in record: ClassRecord) throws {
        for reader in ObjectAccess(object.acl).readers {
            let delete = statements.deleteGrant
            delete.bind(1, record.rows.classNumber)
            delete.bind(2, reader)
            delete.bind(3, object.created)
            delete.bind(4, object.row)
            try delete.run()
        }
    }

    func drawID(at moment: Timestamp) -> Text {
        ObjectID.draw(at: moment, using: &generator)
    }

    /// Users have mutations of their own, which keep account and object together.
    private func refuseUsers(_ className: ClassName) throws {
        if className == .user { throw DomainError(.prohibited) }
    }

    private static func access(of acl: ACL) -> ObjectAccess {
        acl == .everybody ? .everybody : ObjectAccess(acl)
    }
}
