import HatoWire
import ObjectModel
import Testing

@Suite("Principal")
struct PrincipalTests {
    private static func member(ofRoles count: Int, userID: Text? = "U1") -> Principal {
        Principal(userID: userID, roles: (0..<count).map { Text("r\($0)") })
    }

    @Test("speaks by everybody's key, its own, and those of its roles")
    func keys() {
        #expect(Principal.stranger.keys == ["*"])
        #expect(Self.member(ofRoles: 2).keys == ["*", "U1", "role:r0", "role:r1"])
    }

    @Test("has a thousand keys; the role past them opens nothing and closes nothing")
    func keyLimit() {
        let full = Self.member(ofRoles: 998)
        #expect(full.keys.count == 1_000)
        let over = Self.member(ofRoles: 999)
        #expect(over.keys == full.keys)
        #expect(Self.member(ofRoles: 1_000, userID: nil).keys.count == 1_000)

        let policy = AccessPolicy(principal: over, settings: ClassSettings())
        let acl = { (role: Text) in ACL([ACL.Entry(key: role, mayRead: true, mayWrite: true)]) }
        #expect(policy.mayRead(acl("role:r997")))
        #expect(policy.mayWrite(acl("role:r997")))
        #expect(!policy.mayRead(acl("role:r998")))
        #expect(!policy.mayWrite(acl("role:r998")))
        #expect(policy.mayRead(acl("U1")))
        #expect(policy.readScope == .keys(full.keys))
    }
}
