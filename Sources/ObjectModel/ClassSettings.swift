/// What the operator has set for a class; absent settings are these defaults.
package struct ClassSettings: Sendable, Hashable {
    package enum Relay: String, Sendable, Hashable, CaseIterable {
        /// Saved objects stay silent.
        case off
        /// One flat object of strings per create, as the NCMB demo's own messages.
        case flat
        /// `{"event":"create|update|delete","data":{…}}`.
        case events
    }

    package enum DefaultACL: String, Sendable, Hashable, CaseIterable {
        /// Everybody reads and writes, as NCMB.
        case `public`
        /// Only the creator reads and writes.
        case owner
    }

    package var relay: Relay
    package var defaultACL: DefaultACL

    package init(relay: Relay = .flat, defaultACL: DefaultACL = .public) {
        self.relay = relay
        self.defaultACL = defaultACL
    }
}
