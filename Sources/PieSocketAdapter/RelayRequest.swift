import Cryptography
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
    /// Whether the socket is a member that others see: `presence` alone, `=1` or `=true`, or a channel
    /// whose name begins with `presence-`.
    var hasPresence = false
    /// nil: missing or empty.
    var uuid: Text?
    /// What the client calls its user; nil: missing or empty.
    var user: Text?
    /// Of the address or, without one there, of the header `jwt`; nil: missing or empty.
    var token: [UInt8]?

    /// `channel` is the path's segment as it was sent.
    init(
        channel: ArraySlice<UInt8>,
        query: ArraySlice<UInt8>?,
        tokenHeader: ArraySlice<UInt8>? = nil,
        limits: PieSocketLimits
    ) {
        self.channel = RelayRequest.channelName(PercentCoding.decode(channel), limits: limits)
        let items = QueryString(query)
        self.apiKey = RelayRequest.value("api_key", of: items) ?? ""
        self.notifiesSelf = RelayRequest.isOn("notify_self", in: items)
        self.hasPresence =
            RelayRequest.isOn("presence", in: items) || hasPrefix("presence-")
        self.uuid = RelayRequest.value("uuid", of: items)
        self.user = RelayRequest.value("user", of: items)
        let token = RelayRequest.value("jwt", of: items).map { Array($0.utf8) }
        self.token = token ?? tokenHeader.flatMap { $0.isEmpty ? nil : Array($0) }
    }

    /// Whether the channel's name begins so.
    private func hasPrefix(_ prefix: String) -> Bool {
        channel?.string.utf8.starts(with: prefix.utf8) ?? false
    }

    /// Returns the value of the first item of that name; nil when it is empty.
    private static func value(_ name: StaticString, of items: QueryString) -> Text? {
        guard let item = items.first(name), let value = value(of: item), !value.utf8.isEmpty else {
            return nil
        }
        return value
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
    private static func isOn(_ name: StaticString, in items: QueryString) -> Bool {
        guard let item = items.first(name) else { return false }
        guard let value = value(of: item), !value.string.isEmpty else { return true }
        return value == "1" || value.string.lowercased() == "true"
    }

    /// Returns what the client gets, or why not.
    func admission(
        _ application: (_ relayKey: Text) -> Application?,
        limits: PieSocketLimits,
        random: any RandomSource,
        now: Timestamp
    ) -> Result<RelayAdmission, RelayRefusal> {
        guard let application = application(apiKey) else { return .failure(.unknownKey) }
        guard let channel else { return .failure(.badChannel) }
        var tokenUser: Text?
        if let token {
            // One that is sent must be right, also where none is needed.
            do throws(JSONWebToken.Failure) {
                let key = HMACKey(Array(application.relaySecret.utf8))
                tokenUser = try JSONWebToken(token, subject: channel, key: key, now: now).user
            } catch {
                return .failure(.unauthenticated)
            }
        } else if application.settings.relay.guardsAllChannels || hasPrefix("private-") {
            return .failure(.unauthenticated)
        }
        var admission = RelayAdmission(
            channel: ChannelKey(scope: application.relayKey, name: channel),
            notifiesSelf: notifiesSelf,
            quota: ScopeQuota(
                channels: application.settings.relay.channelLimit,
                members: application.settings.relay.connectionLimit
            )
        )
        if hasPresence {
            let member = Member(
                uuid: uuid ?? random.uuid(),
                user: tokenUser ?? user ?? RelayRequest.anonymous
            )
            guard member.uuid.isSent(within: limits.uuidBytes),
                member.user.isSent(within: limits.userNameBytes)
            else { return .failure(.badMember) }
            admission.member = member
        }
        return .success(admission)
    }

    /// What the original calls a user without a name.
    static let anonymous: Text = "anonymous"
}

/// What a socket was let in as.
struct RelayAdmission: Equatable {
    var channel: ChannelKey
    var notifiesSelf: Bool
    var quota = ScopeQuota()
    /// nil: without presence.
    var member: Member?
}
