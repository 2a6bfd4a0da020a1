import CSQLite
import HatoTesting
import HatoWire
import ObjectModel
import SQLStorage
import Testing

@testable import SQLiteStorage

/// What SQLite really does for the compiler's statements, over 100,000 objects.
@Suite("Plans of lists")
struct ListPlanTests {
    private static let objectCount = 100_000

    /// A file with one class: each 1,000th object readable by `few`, the rest by `many`, and as many
    /// public as `publicCount` says.
    private func connection(
        _ folder: TemporaryFolder,
        publicCount: Int = 0
    ) throws
        -> SQLiteConnection
    {
        let path = folder.path(of: "objects.db")
        let now = TestClock().now
        let environment = StoreEnvironment(now: { now }, random: { 1 })
        let writer = try ObjectFile.open(
            path,
            creating: true,
            environment: environment,
            limits: StoreLimits()
        )
        try writer.connection.execute(
            script: """
                BEGIN;
                INSERT INTO class VALUES (1, 'Chat', 'off', 'public');
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n
                    WHERE i < \(ListPlanTests.objectCount))
                INSERT INTO object SELECT (1 << 44) + i, 1, 'id' || i, i / 3, i / 3,
                    i <= \(publicCount), '{}', '{"n":' || i || '}' FROM n;
                INSERT INTO "grant" SELECT 1, iif((row - (1 << 44)) % 1000 = 0, 'few', 'many'), created, row
                    FROM object WHERE public_read = 0;
                COMMIT;
                """
        )
        let connection = try SQLiteConnection(path: path, role: .reader)
        try functions.register(on: connection)
        return connection
    }

    private let functions = ListFunctions()

    private func compiler(
        _ scope: AccessPolicy.ReadScope,
        isFiltered: Bool = false,
        order: [OrderTerm] = [],
        output: ListCompiler<SQLiteDialect>.Output = .columns
    ) -> ListCompiler<SQLiteDialect> {
        ListCompiler(
            SQLiteDialect(),
            Query(
                className: .chat,
                filter: isFiltered ? .field("updateDate", .exists(true)) : .all([]),
                order: order
            ),
            rows: ClassRows(classNumber: 1),
            scope: scope,
            output: output
        )
    }

    private func plan(_ sql: CompiledSQL, on connection: SQLiteConnection) throws -> [String] {
        let explain = try connection.prepare(text: "EXPLAIN QUERY PLAN " + sql.text)
        var lines: [String] = []
        while try explain.step() { lines.append(explain.text(3).string) }
        return lines
    }

    /// Runs the statement; returns its rows and the steps that SQLite's machine made.
    private func run(
        _ sql: CompiledSQL,
        on connection: SQLiteConnection
    ) throws
        -> (rows: [Int64], steps: Int)
    {
        let statement = try connection.cached(sql)
        sqlite3_stmt_status(statement.handle, SQLITE_STMTSTATUS_VM_STEP, 1)
        var rows: [Int64] = []
        while try statement.step() { rows.append(ClassRows.sequence(ofRow: statement.integer(0))) }
        let steps = sqlite3_stmt_status(statement.handle, SQLITE_STMTSTATUS_VM_STEP, 0)
        statement.reset()
        return (rows, Int(steps))
    }

    @Test("objects are appended in the order of their page: what is sorted is sorted before")
    func appending() throws {
        let folder = try TemporaryFolder()
        let connection = try connection(folder, publicCount: 100)
        let scopes: [AccessPolicy.ReadScope] = [
            .everything, .keys(["*"]), .keys(["*", "few"]),
            .keys(["*", "few", "many", "role:none"]),
            .keys(["*"] + (0..<20).map { Text("key\($0)") }),
        ]
        let orders: [[OrderTerm]] = [
            [], [.ascending("createDate")], [.ascending("n")], [.descending("n"), .ascending("m")],
        ]
        let index = FieldIndex(number: 1, path: .named("n"), isDeclared: true, built: .max)
        let conditions = [
            Filter.field("n", .equal(.int(1))), .field("n", .isIn([.int(1), .int(2)])),
            .field("n", .less(.int(5))),
        ].flatMap(\.keyConditions)
        var walks: [ListCompiler<SQLiteDialect>.Walk] = [.scan, .visible, .ids(["a", "b"])]
        for hasElements in [false, true] {
            walks += conditions.map { .keys(KeyWalk(index, $0, hasElements: hasElements)) }
        }
        for isDescending in [false, true] {
            walks.append(
                .ordered(
                    OrderedWalk(
                        index,
                        isDescending: isDescending,
                        tieIsDescending: true,
                        range: nil,
                        isExact: false
                    )
                )
            )
        }
        var sorted = 0
        for scope in scopes {
            for order in orders {
                for isFiltered in [false, true] {
                    let compiler = compiler(
                        scope,
                        isFiltered: isFiltered,
                        order: order,
                        output: .appended
                    )
                    for walk in walks {
                        let sql = compiler.page(walk, limit: 10, skip: 1)
                        #expect(sql.text.contains("hato_append"))
                        let explain = try connection.prepare(
                            text: "EXPLAIN QUERY PLAN " + sql.text
                        )
                        while try explain.step() {
                            guard explain.text(3).string.hasPrefix("USE TEMP B-TREE FOR ORDER")
                            else { continue }
                            sorted += 1
                            #expect(explain.integer(1) != 0, "\(sql.text)")
                        }
                    }
                }
            }
        }
        #expect(sorted > 100)
    }

    @Test("merged lists sort nothing and step only as far as the page reaches")
    func merges() throws {
        let folder = try TemporaryFolder()
        let connection = try connection(folder, publicCount: 50_000)
        let keys: [Text] = ["*", "few", "many", "role:none"]
        for isDescending in [true, false] {
            let order = OrderTerm(path: .named("createDate"), isDescending: isDescending)
            let page = compiler(.keys(keys), order: [order]).page(.scan, limit: 100, skip: 0)
            let plan = try plan(page, on: connection)
            #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
            #expect(plan.contains { $0.contains("USING INDEX object_public") }, "\(plan)")
            let (rows, steps) = try run(page, on: connection)
            let all = Array(1...Int64(ListPlanTests.objectCount))
            #expect(
                rows == (isDescending ? all.reversed().prefix(100) : all.prefix(100)).map { $0 }
            )
            #expect(steps < 10_000)
        }
    }

    @Test("the hundred of all that a user may read are an index walk")
    func fewOfMany() throws {
        let folder = try TemporaryFolder()
        let connection = try connection(folder)
        let compiler = compiler(.keys(["*", "few"]))
        let (rows, steps) = try run(compiler.page(.scan, limit: 1_000, skip: 0), on: connection)
        #expect(rows == (1...100).reversed().map { Int64($0) * 1_000 })
        #expect(steps < 10_000)
        #expect(try run(compiler.count(.scan), on: connection).steps < 2_000)
    }

    @Test("single walks use their order as it lies", arguments: [true, false])
    func singleWalks(isDescending: Bool) throws {
        let folder = try TemporaryFolder()
        let connection = try connection(folder, publicCount: 100_000)
        let order = [OrderTerm(path: .named("createDate"), isDescending: isDescending)]
        for scope in [AccessPolicy.ReadScope.everything, .keys(["*"])] {
            let page = compiler(scope, order: order).page(.scan, limit: 50, skip: 50)
            #expect(try !plan(page, on: connection).contains { $0.contains("TEMP B-TREE") })
            #expect(try run(page, on: connection).steps < 5_000)
        }
        let filtered = compiler(.keys(["*"]), isFiltered: true, order: order)
        let query = Query(className: .chat, filter: .field("n", .greater(.int(0))))
        let policy = AccessPolicy(principal: .stranger, settings: ClassSettings())
        functions.begin(query, policy)
        #expect(try run(filtered.page(.scan, limit: 50, skip: 0), on: connection).steps < 5_000)
    }

    @Test("a probe stops where its answer is clear")
    func probes() throws {
        let folder = try TemporaryFolder()
        let connection = try connection(folder, publicCount: 50_000)
        let compiler = compiler(.keys(["*", "few"]), isFiltered: true)
        let probe = try #require(compiler.probeVisible(upTo: 1_000))
        #expect(try run(probe, on: connection).steps < 10_000)
    }
}
