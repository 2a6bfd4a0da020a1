import HatoWire
import ObjectModel
import Testing

@testable import NCMBAdapter

@Suite("ListQueryParser")
struct ListQueryParserTests {
    private static func query(_ query: String, of className: ClassName? = nil) throws -> Query {
        let parameters = try QueryParameters(Array(query.utf8)[...])
        let className = try className ?? ClassName(dataStore: "Chat")
        return try ListQueryParser(className: className).parse(parameters)
    }

    private static func order(_ query: Query) -> String {
        query.order
            .map {
                ($0.isDescending ? "-" : "")
                    + $0.path.components.map(\.string).joined(separator: ".")
            }
            .joined(separator: ",")
    }

    @Test("nothing asked is a hundred of all, the newest first, uncounted")
    func defaults() throws {
        for text in ["", "&", "unknown=1&limits=5&Limit=3&explain=1"] {
            let query = try Self.query(text)
            #expect(query.limit == 100)
            #expect(query.skip == 0)
            #expect(!query.wantsCount)
            #expect(Self.order(query) == "-createDate")
            guard case .all(let parts) = query.filter else { return #expect(Bool(false)) }
            #expect(parts.isEmpty)
        }
    }

    @Test("reads limit, skip, count and order in any order of theirs")
    func reads() throws {
        let query = try Self.query("skip=2&order=-n,body,updateDate&count=1&limit=0")
        #expect(query.limit == 0)
        #expect(query.skip == 2)
        #expect(query.wantsCount)
        #expect(Self.order(query) == "-n,body,updateDate")
        #expect(try Self.query("limit=1000").limit == 1_000)
        #expect(try !Self.query("count=0").wantsCount)
        #expect(try Self.order(Self.query("order=")) == "-createDate")
        #expect(try Self.order(Self.query("order=address.city")) == "address.city")
    }

    @Test(
        "refuses numbers out of range or no numbers at all",
        arguments: [
            ("limit=1001", "limit"), ("limit=-1", "limit"), ("limit=abc", "limit"),
            ("limit=", "limit"), ("limit=1e3", "limit"), ("limit=%201", "limit"),
            ("limit=99999999999999999999", "limit"), ("skip=-1", "skip"), ("skip=x", "skip"),
            ("skip=9223372036854775808", "skip"), ("count=2", "count"), ("count=true", "count"),
            ("limit=1&limit=2", "limit"), ("order=a,,b", "order"), ("order=-", "order"),
            ("order=a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q", "order"),
        ]
    )
    func refuses(query: String, subject: Text) {
        #expect(throws: DomainError(.invalidValue, subject)) { _ = try Self.query(query) }
    }

    @Test("takes sixteen fields to order by")
    func orderLimit() throws {
        #expect(try Self.query("order=a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p").order.count == 16)
    }

    @Test("a plus and %20 are spaces, a coded plus is a plus")
    func spaces() throws {
        let query = try Self.query("where=%7B%22s%22:%22a+b%20c%2Bd%22%7D")
        guard case .all(let parts) = query.filter,
            case .field(_, .equal(.string(let text))) = parts[0]
        else { return #expect(Bool(false)) }
        #expect(text == "a b c+d")
    }

    @Test("users can't be ordered or joined by fields of their accounts")
    func hidden() throws {
        for field in ["mailAddress", "-authData.anonymous.id", "n,password", "mailAddressConfirm"] {
            #expect(throws: DomainError.self) { _ = try Self.query("order=\(field)", of: .user) }
            #expect(throws: DomainError.self) {
                _ = try Self.query("include=\(field.drop { $0 == "-" })", of: .user)
            }
        }
        #expect(try Self.order(Self.query("order=userName", of: .user)) == "userName")
    }

    @Test("include is checked and leaves Pointers as they are")
    func include() throws {
        #expect(try Self.query("include=user,post.author").limit == 100)
        #expect(throws: DomainError(.invalidFormat, "$x")) { _ = try Self.query("include=$x") }
    }
}
