import HatoWire
import ObjectModel
import SQLStorage
import Testing

@Suite("ListCompiler")
struct ListCompilerTests {
    private func compiler(
        _ scope: AccessPolicy.ReadScope,
        isFiltered: Bool = false,
        order: [OrderTerm] = []
    ) -> ListCompiler<SQLiteDialect> {
        ListCompiler(
            SQLiteDialect(),
            Query(
                className: .chat,
                filter: isFiltered ? .field("updateDate", .exists(true)) : .all([]),
                order: order
            ),
            rows: ClassRows(classNumber: 3),
            scope: scope
        )
    }

    private let first: SQLValue = .integer(3 << 44)
    private let last: SQLValue = .integer((4 << 44) - 1)
    private let columns = "o.row, o.id, o.created, o.updated, o.acl, o.doc"

    @Test("lists everything by walking the class's rows backwards")
    func everything() {
        let sql = compiler(.everything).page(.scan, limit: 10, skip: 2)
        #expect(
            sql.text
                == "SELECT \(columns) FROM object AS o WHERE o.row BETWEEN ?1 AND ?2 "
                + "ORDER BY o.row DESC LIMIT ?3 OFFSET ?4"
        )
        #expect(sql.values == [first, last, .integer(10), .integer(2)])
        #expect(compiler(.everything).probeVisible(upTo: 10) == nil)
        #expect(
            compiler(.everything).count(.scan).text
                == "SELECT count(*) FROM object INDEXED BY object_id WHERE class = ?1"
        )
    }

    @Test("lists a stranger's view by walking the public index")
    func stranger() {
        let sql = compiler(.keys(["*"]), order: [.ascending("createDate")])
            .page(.scan, limit: 10, skip: 0)
        #expect(
            sql.text
                == "SELECT \(columns) FROM object AS o INDEXED BY object_public "
                + "WHERE o.class = ?1 AND o.public_read = 1 "
                + "ORDER BY o.created ASC, o.row ASC LIMIT ?2 OFFSET ?3"
        )
        #expect(sql.values == [.integer(3), .integer(10), .integer(0)])
    }

    @Test("statements have one shape exactly when they have one text")
    func shapes() {
        var statements: [CompiledSQL] = []
        let scopes: [AccessPolicy.ReadScope] = [
            .everything, .keys(["*"]), .keys(["*", "a"]), .keys(["*", "b"]),
            .keys(["*", "a", "b"]),
        ]
        for scope in scopes {
            for isFiltered in [true, false] {
                for order in [[], [OrderTerm.ascending("createDate")], [.ascending("n")]] {
                    let compiler = compiler(scope, isFiltered: isFiltered, order: order)
                    statements.append(compiler.page(.scan, limit: 1, skip: 0))
                    statements.append(compiler.page(.ids(["x"]), limit: 2, skip: 0))
                    statements.append(compiler.page(.ids(["x", "y"]), limit: 2, skip: 0))
                    statements.append(compiler.count(.visible))
                }
            }
        }
        for one in statements {
            for other in statements {
                #expect((one.shape == other.shape) == (one.text == other.text))
            }
        }
        #expect(Set(statements.map(\.shape)).count > 20)
    }

    @Test("merges the public index with each key's grants, keys bound as values")
    func merged() {
        let evil: Text = "'; DROP TABLE object; --"
        let sql = compiler(.keys(["*", evil, "role:r"])).page(.scan, limit: 1, skip: 0)
        #expect(
            sql.text
                == "SELECT \(columns) FROM ("
                + "SELECT created, row FROM object INDEXED BY object_public "
                + "WHERE class = ?1 AND public_read = 1 UNION "
                + "SELECT created, row FROM \"grant\" WHERE class = ?2 AND principal = ?3 UNION "
                + "SELECT created, row FROM \"grant\" WHERE class = ?4 AND principal = ?5 "
                + "ORDER BY 1 DESC, 2 DESC LIMIT ?6 OFFSET ?7"
                + ") AS page CROSS JOIN object AS o ON o.row = page.row"
        )
        #expect(
            sql.values == [
                .integer(3), .integer(3), .text(evil), .integer(3), .text("role:r"), .integer(1),
                .integer(0),
            ]
        )
    }

    @Test("merges up to eight keys each, and takes nine together")
    func manyKeys() {
        func text(keys count: Int) -> String {
            let keys = (0..<count).map { Text("k\($0)") }
            return compiler(.keys(["*"] + keys)).page(.scan, limit: 1, skip: 0).text
        }
        #expect(text(keys: 8).split(separator: "UNION").count == 9)
        #expect(text(keys: 9).split(separator: "UNION").count == 2)
        #expect(text(keys: 9).contains("principal IN (?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"))
    }

    @Test("filters by the matcher, over the class or over what few rows are visible")
    func filtered() {
        let compiler = compiler(.keys(["*", "u"]), isFiltered: true)
        #expect(
            compiler.page(.scan, limit: 1, skip: 0).text
                == "SELECT \(columns) FROM object AS o WHERE o.row BETWEEN ?1 AND ?2 "
                + "AND CASE WHEN (o.public_read = 1 OR hato_readable(o.acl)) "
                + "THEN hato_matches(o.id, o.created, o.updated, o.doc) ELSE 0 END "
                + "ORDER BY o.row DESC LIMIT ?3 OFFSET ?4"
        )
        let visible =
            "o.row IN (SELECT row FROM object INDEXED BY object_public "
            + "WHERE class = ?1 AND public_read = 1 UNION ALL "
            + "SELECT row FROM \"grant\" WHERE class = ?2 AND principal IN (?3)) "
            + "AND hato_matches(o.id, o.created, o.updated, o.doc)"
        #expect(
            compiler.page(.visible, limit: 1, skip: 0).text
                == "SELECT \(columns) FROM object AS o WHERE \(visible) "
                + "ORDER BY o.row DESC LIMIT ?4 OFFSET ?5"
        )
        #expect(
            compiler.count(.visible).text == "SELECT count(*) FROM object AS o WHERE \(visible)"
        )
        #expect(
            compiler.probeVisible(upTo: 10)?.text
                == "SELECT count(*) FROM (SELECT 1 FROM object INDEXED BY object_public "
                + "WHERE class = ?1 AND public_read = 1 UNION ALL "
                + "SELECT 1 FROM \"grant\" WHERE class = ?2 AND principal IN (?3) LIMIT ?4)"
        )
    }

    @Test("sorts rows by key, ties by age, before it fetches the page's objects")
    func sorted() {
        let order: [OrderTerm] = [.descending("createDate"), .ascending("a.b")]
        let sql = compiler(.everything, order: order).page(.scan, limit: 5, skip: 1)
        #expect(
            sql.text
                == "SELECT \(columns) FROM (SELECT o.row AS row FROM object AS o "
                + "WHERE o.row BETWEEN ?1 AND ?2 "
                + "ORDER BY hato_key(o.id, o.created, o.updated, o.doc), o.created ASC, o.row ASC "
                + "LIMIT ?3 OFFSET ?4) AS page CROSS JOIN object AS o ON o.row = page.row"
        )
        #expect(sql.values == [first, last, .integer(5), .integer(1)])
    }

    @Test("counts what several keys see without walking an object twice")
    func counts() {
        #expect(
            compiler(.keys(["*", "u", "v"])).count(.scan).text
                == "SELECT (SELECT count(*) FROM object INDEXED BY object_public "
                + "WHERE class = ?1 AND public_read = 1) + "
                + "(SELECT count(DISTINCT row) FROM \"grant\" WHERE class = ?2 "
                + "AND principal IN (?3, ?4))"
        )
    }
}
