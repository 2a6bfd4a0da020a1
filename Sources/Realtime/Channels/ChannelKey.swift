package import HatoWire

/// What names a channel: the same name under two relay keys is two channels.
package struct ChannelKey: Hashable, Sendable {
    /// The relay key of the application.
    package let scope: Text
    /// The channel's own name, compared by bytes; `ChannelHub` gives it no meaning.
    package let name: Text

    package init(scope: Text, name: Text) {
        self.scope = scope
        self.name = name
    }
}
