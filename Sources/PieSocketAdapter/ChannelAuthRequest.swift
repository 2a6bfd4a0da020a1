import HTTPServer
import HatoWire
import ObjectModel

/// What an SDK sends to the auth endpoint: which channel it wants to join (realtime.md 1.4).
///
/// Three forms: a multipart form with the field `channel_name` (JavaScript), a JSON placeholder without
/// a name (Swift), a plain GET (Android). The latter two say `?channel_name=…` in the address; there it
/// counts for all.
struct ChannelAuthRequest {
    private static let fieldName: Text = "channel_name"

    let applicationKey: Text?
    let relayKey: Text?
    let sessionToken: [UInt8]?
    /// nil: missing, or none that may be one.
    let channel: Text?

    init(_ request: HTTPRequest, limits: PieSocketLimits) {
        let items = QueryString(request.rawQuery)
        applicationKey = request.value("x-ncmb-application-key").map { Text(utf8: $0) }
        relayKey = items.first("api_key")?.rawValue.map { Text(utf8: PercentCoding.decode($0)) }
        sessionToken = request.value("x-ncmb-apps-session-token").map { Array($0) }
        let name =
            items.first("channel_name")?.rawValue.map { PercentCoding.decode($0) }
            ?? ChannelAuthRequest.formField(request, limitBytes: limits.channelNameBytes)
        channel = name.flatMap { RelayRequest.channelName($0, limits: limits) }
    }

    /// Returns the field of a whole multipart form; nil when there is none, or it is too long.
    private static func formField(_ request: HTTPRequest, limitBytes: Int) -> [UInt8]? {
        guard let type = request.value("content-type"),
            var parser = MultipartParser(contentType: type)
        else { return nil }
        var field: [UInt8]?
        var isInside = false
        var offset = 0
        while true {
            switch parser.parse(request.body.span, from: &offset) {
            case .part(let part):
                isInside = part.name == fieldName && field == nil
                if isInside { field = [] }
            case .content(let bytes):
                guard isInside else { continue }
                field?.append(contentsOf: bytes)
                guard field?.count ?? 0 <= limitBytes else { return nil }
            case .partEnded: isInside = false
            case .finished: return field
            case .needsMore, .failed: return nil
            }
        }
    }
}
