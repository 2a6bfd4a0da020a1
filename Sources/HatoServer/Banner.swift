import EventLoops
import HatoWire
import ObjectModel

/// What `hato serve` prints when it is ready: the keys, and lines that work when they are pasted.
///
/// Secret keys are shown only by the start that makes them, and only on a terminal: a service's log
/// must not collect them. `hato app list` shows them again.
struct Banner {
    var address: ListenAddress?
    var secureAddress: ListenAddress?
    /// The setting; `-` when clients reach the listen address itself.
    var publicURL: String
    var folder: String
    var applications: [Application]
    var newApplication: Application?
    var isForTerminal: Bool

    private var url: String {
        guard publicURL == "-" else { return publicURL }
        if let address { return "http://" + reachable(address) }
        return secureURL ?? ""
    }

    private var secureURL: String? {
        secureAddress.map { "https://" + reachable($0) }
    }

    private func reachable(_ address: ListenAddress) -> String {
        switch address.host {
        case "0.0.0.0", "::": "127.0.0.1:\(address.port)"
        default: "\(address)"
        }
    }

    var text: String {
        var text = "Hato \(Program.version) serves \(folder) on \(url)\n"
        if let secureURL, secureURL != url { text += "TLS on \(secureURL)\n" }
        text += "\n"
        if let application = newApplication, isForTerminal {
            text += "A new application; hato app list shows these keys again:\n"
            text += ApplicationText.lines(application) + "\n"
        } else {
            for application in applications.prefix(20) {
                text += "\(application.name): application key \(application.applicationKey), "
                text += "relay key \(application.relayKey)\n"
            }
            text += "hato app list shows the secret keys.\n\n"
        }
        if let application = newApplication ?? applications.first { text += lines(application) }
        return text
    }

    private func lines(_ application: Application) -> String {
        let relay = url.hasPrefix("http") ? "ws" + url.dropFirst(4) : url
        return """
            Listen to a channel (frames as they come; any WebSocket client takes \
            \(relay)/v3/Chat?api_key=\(application.relayKey)):

              curl -sN --http1.1 -H 'Connection: Upgrade' -H 'Upgrade: websocket' \
            -H 'Sec-WebSocket-Version: 13' -H 'Sec-WebSocket-Key: aGF0by1pcy1hLXBpZ2Vvbg==' \
            '\(url)/v3/Chat?api_key=\(application.relayKey)' --output -

            Save an object; the channel gets it:

              curl -s '\(url)/2013-09-01/classes/Chat' -H 'Content-Type: application/json' \
            -H 'X-NCMB-Application-Key: \(application.applicationKey)' -d '{"body":"Hello, Hato"}'

            Read the class:

              curl -s '\(url)/2013-09-01/classes/Chat' \
            -H 'X-NCMB-Application-Key: \(application.applicationKey)'


            """
    }
}
