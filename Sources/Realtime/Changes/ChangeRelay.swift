import HatoWire
package import ObjectModel

/// Fans saved objects out: each change of a data store class goes to the channel that bears the
/// class's name under the application's relay key (rulings 19).
///
/// A change is encoded once, and only when somebody is in the channel.
package final class ChangeRelay: Sendable {
    private let hub: ChannelHub

    package init(hub: ChannelHub) {
        self.hub = hub
    }

    /// Publishes what a stranger may see of `changes`.
    ///
    /// To be called after their commit and in commit order: a channel's order is the order of
    /// these calls. Any thread, one at a time for each application; it never blocks on a loop.
    /// Members of a channel whose loop is too far behind to be told are closed, so that they notice
    /// that they have missed something.
    package func relay(_ changes: [Change], of application: Application) {
        var message = ChangeMessage()
        for change in changes where change.settings.relay != .off {
            let key = ChannelKey(scope: application.relayKey, name: change.className.text)
            guard hub.isHeard(key), let text = message.text(of: change) else { continue }
            if hub.publish(MessageFrame.text(text), to: key) == .refused {
                hub.expel(key)
            }
        }
    }
}
