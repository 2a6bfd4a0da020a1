import HatoWire

/// How long a text is where everybody gets it: inside a string of JSON, where a control character takes
/// six bytes.
extension Text {
    var sentBytes: Int {
        var sent: [UInt8] = []
        JSONWriter.append(escaped: self, to: &sent)
        return sent.count
    }

    func isSent(within limitBytes: Int) -> Bool {
        // Nothing gets shorter: a long one need not be written.
        utf8.count <= limitBytes && sentBytes <= limitBytes
    }

    /// Returns as much of the beginning as is sent within the limit, cut between characters; within the
    /// first one only if that is too long alone.
    func cut(toSentBytes limitBytes: Int) -> Text {
        var kept = ""
        var rest = limitBytes
        for scalar in string.unicodeScalars {
            rest -= Text(String(scalar)).sentBytes
            guard rest >= 0 else {
                var longer = kept
                longer.unicodeScalars.append(scalar)
                if longer.count == kept.count, kept.count > 1 { kept.removeLast() }
                return Text(kept)
            }
            kept.unicodeScalars.append(scalar)
        }
        return self
    }
}
