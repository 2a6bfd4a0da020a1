import HatoWire
import ObjectModel
import Realtime

/// What a client asks for by its URL: `/v3/CHANNEL?api_key=KEY[&notify_self[=1]]…` (realtime.md
/// 1.1).
///
/// Clients join the values unescaped, so that decoding is lenient: a `%` that begins no escape
/// stays, and `+` is a plus. Of a parameter given twice the first counts; unknown ones mean nothing.
struct RelayRequest: Equatable {
    /// nil: the name is empty, too long, not UTF-8, or holds a control character.
    var channel: Text?
    /// Empty when it is missing.
    var apiKey: Text = ""
    /// Whether the sender gets its own messages: `notify_self` alone, `=1` or `=true`.
    var notifiesSelf = false

    /// `channel` is the path's segment as it was sent.
    init(channel: ArraySlice<UInt8>, query: ArraySlice<UInt8>?, limits: PieSocketLimits) {
        self.channel = RelayRequest.channelName(PercentCoding.decode(channel), limits: limits)
        let items = QueryString(query)
        if let item = items.first("api_key") {
            self.apiKey = RelayRequest.value(of: item) ?? ""
        }
        if let item = items.first("notify_self") {
            self.notifiesSelf = RelayRequest.isOn(RelayRequest.value(of: item))
        }
    }

    private static func value(of item: QueryString.Item) -> Text? {
        item.rawValue.map { Text(utf8: PercentCoding.decode($0)) }
    }

    /// Returns the name if it may be one; also for `channelId` of a publication.
    static func channelName(_ bytes: [UInt8], limits: PieSocketLimits) -> Text? {
        guard !bytes.isEmpty, bytes.count <= limits.channelNameBytes,
            bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }),
            let name = String(validating: bytes, as: UTF8.self)
        else { return nil }
        return Text(name)
    }

    /// A flag without a value is on; so are `1` and `true`; anything else is off.
    private static func isOn(_ value: Text?) -> Bool {
        guard let value, !value.string.isEmpty else { return true }
        return value == "1" || value.string.lowercased() == "true"
    }

    /// Returns the channel to join, or why not.
    func admission(
        _ application: (_ relayKey: Text) -> Application?
    ) -> Result<ChannelKey, RelayRefusal> {
        guard let application = application(apiKey) else { return .failure(.unknownKey) }
        guard let channel else { return .failure(.badChannel) }
        // Guarded channels need a token; without a way to check one nobody gets in.
        guard !channel.string.utf8.starts(with: "private-".utf8) else {
            return .failure(.unauthenticated)
        }
        return .success(ChannelKey(scope: application.relayKey, name: channel))
    }
}
