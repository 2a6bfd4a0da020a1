package import HatoWire

/// The one place that decides who may do what: REST, relay, live queries and channels all ask it.
///
/// A pure value: a principal and the rules of a class. `mayRead` and `mayWrite` ask an object's ACL,
/// and `readScope` is the same decision as a predicate for the store. `isPermitted` is the place of
/// class rules, of which there are none yet.
package struct AccessPolicy: Sendable {
    package enum Action: Sendable, CaseIterable {
        case create
        case get
        case find
        case update
        case delete
    }

    /// Which objects of a class a query may see.
    package enum ReadScope: Sendable, Hashable {
        case everything
        /// Objects whose ACL lets one of these keys read; `*` is among them.
        case keys([Text])
    }

    package let principal: Principal
    package let settings: ClassSettings
    private let keys: [Text]

    package init(principal: Principal, settings: ClassSettings) {
        self.principal = principal
        self.settings = settings
        self.keys = principal.keys
    }

    /// Whether the class's rules let the principal do this at all: always, because classes have no
    /// rules of this kind yet.
    ///
    /// Asked once in each call, where it counts: by the store, inside the transaction. Rules that come
    /// need no second place.
    package func isPermitted(_ action: Action) -> Bool {
        switch action {
        case .create, .get, .find, .update, .delete: true
        }
    }

    package func mayRead(_ acl: ACL) -> Bool {
        principal.isAdministrator || acl.grantsRead(toAnyOf: keys)
    }

    package func mayWrite(_ acl: ACL) -> Bool {
        principal.isAdministrator || acl.grantsWrite(toAnyOf: keys)
    }

    package var readScope: ReadScope {
        principal.isAdministrator ? .everything : .keys(keys)
    }

    /// The ACL of an object that is created without one.
    package var defaultACL: ACL {
        switch settings.defaultACL {
        case .public: .everybody
        case .owner:
            principal.userID.map { ACL([ACL.Entry(key: $0, mayRead: true, mayWrite: true)]) }
                ?? ACL()
        }
    }
}
