/// The writer's statements about indexes, prepared once.
struct IndexStatements {
    let insertIndex: SQLiteStatement
    let updateIndex: SQLiteStatement
    let deleteIndex: SQLiteStatement
    let insertFailure: SQLiteStatement
    let updateUse: SQLiteStatement
    let insertKey: SQLiteStatement
    /// Inserts a key that may be there already.
    let putKey: SQLiteStatement
    let deleteKey: SQLiteStatement
    /// Objects behind a row, in order.
    let objectsAfter: SQLiteStatement
    let newestObjects: SQLiteStatement
    let abandoned: SQLiteStatement
    let deleteSomeKeys: SQLiteStatement
    let beginAttempt: SQLiteStatement
    let takeAttemptBack: SQLiteStatement
    let endAttempt: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        insertIndex = try connection.prepare(
            """
            INSERT INTO field_index (class, field, declared, state, built, made)
            VALUES (?1, ?2, ?3, 0, ?4, ?5) RETURNING number
            """
        )
        updateIndex = try connection.prepare(
            "UPDATE field_index SET declared = ?2, state = ?3, built = ?4 WHERE number = ?1"
        )
        deleteIndex = try connection.prepare("DELETE FROM field_index WHERE number = ?1")
        insertFailure = try connection.prepare(
            """
            INSERT INTO field_index (class, field, declared, state, built, failure, object)
            VALUES (?1, ?2, 1, 2, 0, ?3, ?4) RETURNING number
            """
        )
        updateUse = try connection.prepare(
            "UPDATE field_index SET made = ?2, used = ?3 WHERE number = ?1"
        )
        insertKey = try connection.prepare("INSERT INTO field_key VALUES (?1, ?2, ?3, ?4, ?5)")
        putKey = try connection.prepare(
            "INSERT OR REPLACE INTO field_key VALUES (?1, ?2, ?3, ?4, ?5)"
        )
        deleteKey = try connection.prepare(
            "DELETE FROM field_key WHERE field = ?1 AND kind = ?2 AND key = ?3 AND row = ?4"
        )
        objectsAfter = try connection.prepare(
            """
            SELECT row, id, created, updated, acl, doc, public_read FROM object
            WHERE row > ?1 AND row <= ?2 ORDER BY row LIMIT ?3
            """
        )
        newestObjects = try connection.prepare(
            """
            SELECT row, id, created, updated, acl, doc FROM object
            WHERE row BETWEEN ?1 AND ?2 ORDER BY row DESC LIMIT ?3
            """
        )
        abandoned = try connection.prepare(
            "SELECT number FROM field_index WHERE state = 1 ORDER BY number LIMIT 1"
        )
        deleteSomeKeys = try connection.prepare(
            """
            DELETE FROM field_key WHERE (field, kind, key, row) IN
                (SELECT field, kind, key, row FROM field_key WHERE field = ?1 LIMIT ?2)
            """
        )
        beginAttempt = try connection.prepare("SAVEPOINT attempt")
        takeAttemptBack = try connection.prepare("ROLLBACK TO attempt")
        endAttempt = try connection.prepare("RELEASE attempt")
    }
}
