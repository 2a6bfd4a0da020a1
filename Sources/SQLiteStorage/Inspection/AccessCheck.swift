import HatoWire
import ObjectModel
import SQLStorage

/// Compares each object's access list with what lists go by: the flag on the row, and the grants.
///
/// Works in slices, each inside one read transaction of the caller's: a slice is consistent in
/// itself, whatever is written between two.
struct AccessCheck {
    /// A row of `grant`, as a place in the order of its key.
    struct Grant: Sendable {
        var classNumber: Int64
        var principal: Text
        var created: Int64
        var row: Int64

        static let first = Grant(classNumber: 0, principal: "", created: .min, row: .min)
    }

    private let directory: ClassDirectory
    private let objects: SQLiteStatement
    private let findGrant: SQLiteStatement
    private let grants: SQLiteStatement
    private let findObject: SQLiteStatement

    init(_ connection: SQLiteConnection, _ directory: ClassDirectory) throws(SQLiteFailure) {
        self.directory = directory
        objects = try connection.prepare(
            """
            SELECT row, class, id, created, public_read, acl FROM object
            WHERE row > ?1 ORDER BY row LIMIT ?2
            """
        )
        findGrant = try connection.prepare(
            """
            SELECT 1 FROM "grant" WHERE class = ?1 AND principal = ?2 AND created = ?3 AND row = ?4
            """
        )
        grants = try connection.prepare(
            """
            SELECT class, principal, created, row FROM "grant"
            WHERE (class, principal, created, row) > (?1, ?2, ?3, ?4)
            ORDER BY class, principal, created, row LIMIT ?5
            """
        )
        findObject = try connection.prepare(
            "SELECT class, id, created, acl FROM object WHERE row = ?1"
        )
    }

    /// Looks from the objects: the flag is right, and each reader has its grant.
    func objects(after row: Int64, limit: Int) throws(SQLiteFailure) -> CheckPart<Int64> {
        var part = CheckPart<Int64>()
        objects.bind(1, row)
        objects.bind(2, Int64(limit))
        defer { objects.reset() }
        while try objects.step() {
            part.count += 1
            let row = objects.integer(0)
            part.last = row
            let name = { self.name(self.objects.text(2), ofRow: row) }
            if objects.integer(1) != ClassRows.classNumber(ofRow: row) {
                part.complaints.append(Text("\(name()) lies among the objects of another class"))
            }
            let access = ObjectAccess(ACL(canonical: objects.bytes(5)))
            if (objects.integer(4) == 1) != access.isPublic {
                let what = access.isPublic ? "public" : "private"
                part.complaints.append(Text("\(name()) is not \(what), as its acl says"))
            }
            for reader in access.readers {
                let grant = Grant(
                    classNumber: objects.integer(1),
                    principal: reader,
                    created: objects.integer(3),
                    row: row
                )
                guard try !has(grant) else { continue }
                part.complaints.append(Text("\(name()) is not listed for one who may read it"))
            }
        }
        if part.count < limit { part.last = nil }
        return part
    }

    /// Looks from the grants: each belongs to an object whose list names its reader.
    func grants(after place: Grant, limit: Int) throws(SQLiteFailure) -> CheckPart<Grant> {
        var part = CheckPart<Grant>()
        bind(place, to: grants)
        grants.bind(5, Int64(limit))
        defer { grants.reset() }
        while try grants.step() {
            part.count += 1
            let grant = Grant(
                classNumber: grants.integer(0),
                principal: grants.text(1),
                created: grants.integer(2),
                row: grants.integer(3)
            )
            part.last = grant
            if let complaint = try complaint(about: grant) { part.complaints.append(complaint) }
        }
        if part.count < limit { part.last = nil }
        return part
    }

    private func complaint(about grant: Grant) throws(SQLiteFailure) -> Text? {
        findObject.bind(1, grant.row)
        let object = try findObject.first { found in
            (
                classNumber: found.integer(0), id: found.text(1), created: found.integer(2),
                readers: ObjectAccess(ACL(canonical: found.bytes(3))).readers
            )
        }
        guard let object else { return Text("a grant names row \(grant.row), which is no object") }
        let isRight =
            object.classNumber == grant.classNumber && object.created == grant.created
            && object.readers.contains(grant.principal)
        guard !isRight else { return nil }
        return Text("\(name(object.id, ofRow: grant.row)) is listed for one who may not read it")
    }

    private func has(_ grant: Grant) throws(SQLiteFailure) -> Bool {
        bind(grant, to: findGrant)
        return try findGrant.first { _ in true } ?? false
    }

    private func bind(_ grant: Grant, to statement: SQLiteStatement) {
        statement.bind(1, grant.classNumber)
        statement.bind(2, grant.principal)
        statement.bind(3, grant.created)
        statement.bind(4, grant.row)
    }

    private func name(_ id: Text, ofRow row: Int64) -> String {
        "\(directory.name(ofRow: row)?.text ?? "?")/\(id)"
    }
}
