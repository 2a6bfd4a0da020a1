/// The writer's statements, prepared once.
struct WriterStatements {
    let findObject: SQLiteStatement
    let objectByRow: SQLiteStatement
    let insertObject: SQLiteStatement
    let updateDocument: SQLiteStatement
    let updateObject: SQLiteStatement
    let deleteObject: SQLiteStatement
    let insertGrant: SQLiteStatement
    let deleteGrant: SQLiteStatement
    let insertChange: SQLiteStatement

    let insertClass: SQLiteStatement
    let updateClass: SQLiteStatement

    let insertAccount: SQLiteStatement
    let updateAccount: SQLiteStatement
    let deleteAccount: SQLiteStatement
    let insertAuth: SQLiteStatement
    let deleteAuth: SQLiteStatement
    let deleteAllAuth: SQLiteStatement
    let insertSession: SQLiteStatement
    let deleteSession: SQLiteStatement
    let deleteOtherSessions: SQLiteStatement
    let expireSessions: SQLiteStatement
    let pruneChanges: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        findObject = try connection.prepare(
            """
            SELECT row, id, created, updated, acl, doc FROM object WHERE class = ?1 AND id = ?2
            """
        )
        objectByRow = try connection.prepare(
            "SELECT row, id, created, updated, acl, doc FROM object WHERE row = ?1"
        )
        insertObject = try connection.prepare(
            "INSERT INTO object VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"
        )
        updateDocument = try connection.prepare(
            "UPDATE object SET updated = ?2, doc = ?3 WHERE row = ?1"
        )
        updateObject = try connection.prepare(
            """
            UPDATE object SET updated = ?2, doc = ?3, public_read = ?4, acl = ?5 WHERE row = ?1
            """
        )
        deleteObject = try connection.prepare("DELETE FROM object WHERE row = ?1")
        insertGrant = try connection.prepare("INSERT INTO \"grant\" VALUES (?1, ?2, ?3, ?4)")
        deleteGrant = try connection.prepare(
            """
            DELETE FROM "grant"
            WHERE class = ?1 AND principal = ?2 AND created = ?3 AND row = ?4
            """
        )
        insertChange = try connection.prepare(
            "INSERT INTO change VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"
        )

        insertClass = try connection.prepare("INSERT INTO class VALUES (?1, ?2, ?3, ?4)")
        updateClass = try connection.prepare(
            "UPDATE class SET relay = ?2, default_acl = ?3 WHERE number = ?1"
        )

        insertAccount = try connection.prepare(
            "INSERT INTO account VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
        )
        updateAccount = try connection.prepare(
            """
            UPDATE account SET user_name = ?2, password_hash = ?3, mail_address = ?4,
                mail_key = ?5, mail_confirmed = ?6
            WHERE user = ?1
            """
        )
        deleteAccount = try connection.prepare("DELETE FROM account WHERE user = ?1")
        insertAuth = try connection.prepare("INSERT INTO auth VALUES (?1, ?2, ?3, ?4)")
        deleteAuth = try connection.prepare("DELETE FROM auth WHERE user = ?1 AND provider = ?2")
        deleteAllAuth = try connection.prepare("DELETE FROM auth WHERE user = ?1")
        insertSession = try connection.prepare(
            "INSERT INTO session VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
        )
        deleteSession = try connection.prepare("DELETE FROM session WHERE token_hash = ?1")
        deleteOtherSessions = try connection.prepare(
            "DELETE FROM session WHERE user = ?1 AND token_hash <> ?2"
        )
        expireSessions = try connection.prepare(
            """
            DELETE FROM session WHERE token_hash IN
                (SELECT token_hash FROM session WHERE expires <= ?1 ORDER BY expires LIMIT ?2)
            """
        )
        // Times rise with the sequence, so what is old is at the front, and a step looks no
        // further than its limit. The last row stays: the sequence goes on from it.
        pruneChanges = try connection.prepare(
            """
            DELETE FROM change WHERE sequence IN
                (SELECT sequence FROM
                    (SELECT sequence, time FROM change ORDER BY sequence LIMIT ?3)
                 WHERE (time < ?1 OR sequence <= ?2)
                    AND sequence < (SELECT max(sequence) FROM change))
            """
        )
    }
}
