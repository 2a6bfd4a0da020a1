import HatoWire
import ObjectModel

/// An application as the command line shows it.
enum ApplicationText {
    /// One `key: value` line each.
    static func lines(_ application: Application) -> String {
        """
        \(application.name)
          application key  \(application.applicationKey)
          client key       \(application.clientKey)
          relay key        \(application.relayKey)
          relay secret     \(application.relaySecret)
          settings         \(settings(application.settings))

        """
    }

    /// The settings in one line, without any key.
    static func settings(_ settings: ApplicationSettings) -> String {
        """
        require-signature \(onOff(settings.requiresSignature)), \
        hide-unreadable \(onOff(settings.hidesUnreadable)), \
        anonymous \(onOff(settings.allowsAnonymous)), \
        timestamp-window \(settings.timestampWindowSeconds.map { "\($0) s" } ?? "off"), \
        session-lifetime \(settings.sessionLifetimeSeconds) s, \
        relay-auth \(settings.relay.guardsAllChannels ? "all" : "private"), \
        relay-connections \(limit(settings.relay.connectionLimit)), \
        relay-channels \(limit(settings.relay.channelLimit)), \
        relay-messages \(limit(settings.relay.messagesPerSecond)), \
                auto-index \(onOff(settings.makesIndexes)), \
        demo \(onOff(settings.isDemo))
        """
    }

    /// One JSON object.
    static func json(_ application: Application) -> String {
        let settings = application.settings
        let members: [JSONObject.Member] = [
            member("name", .string(application.name)),
            member("applicationKey", .string(application.applicationKey)),
            member("clientKey", .string(application.clientKey)),
            member("relayKey", .string(application.relayKey)),
            member("relaySecret", .string(application.relaySecret)),
            member("requireSignature", .bool(settings.requiresSignature)),
            member("hideUnreadable", .bool(settings.hidesUnreadable)),
            member("anonymous", .bool(settings.allowsAnonymous)),
            member("timestampWindow", settings.timestampWindowSeconds.map(number) ?? .null),
            member("sessionLifetime", number(settings.sessionLifetimeSeconds)),
            member("autoIndex", .bool(settings.makesIndexes)),
            member("relayAuth", .string(settings.relay.guardsAllChannels ? "all" : "private")),
            member("relayConnections", settings.relay.connectionLimit.map(number) ?? .null),
            member("relayChannels", settings.relay.channelLimit.map(number) ?? .null),
            member("relayMessages", settings.relay.messagesPerSecond.map(number) ?? .null),
            member("demo", .bool(settings.isDemo)),
        ]
        return String(decoding: JSONWriter.bytes(.object(JSONObject(members))), as: UTF8.self)
    }

    private static func member(_ name: Text, _ value: JSON) -> JSONObject.Member {
        JSONObject.Member(name: name, value: value)
    }

    private static func number(_ value: Int) -> JSON {
        .number(JSONNumber(Int64(value)))
    }

    private static func limit(_ value: Int?) -> String {
        value.map { "\($0)" } ?? "off"
    }

    private static func onOff(_ value: Bool) -> String {
        value ? "on" : "off"
    }
}

/// What an application's name and keys may look like.
enum ApplicationRules {
    /// Says what is wrong in a sentence; nil when all fits.
    static func complaint(about application: Application) -> String? {
        let name = application.name.utf8
        guard (1...64).contains(name.count), !name.contains(where: { $0 < 0x21 || $0 == 0x7F })
        else {
            return "an application's name has 1 to 64 bytes without spaces and controls"
        }
        let keys: [(String, Text)] = [
            ("application key", application.applicationKey), ("client key", application.clientKey),
            ("relay key", application.relayKey), ("relay secret", application.relaySecret),
        ]
        for (what, key) in keys where !isKey(key) {
            return "the \(what) must have 1 to 128 characters of A-Z, a-z, 0-9, _ and -"
        }
        return nil
    }

    private static func isKey(_ key: Text) -> Bool {
        (1...128).contains(key.utf8.count)
            && key.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                    || (0x61...0x7A).contains(byte)
                    || byte == 0x5F || byte == 0x2D
            }
    }
}
