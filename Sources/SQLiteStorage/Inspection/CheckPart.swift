import HatoWire

/// What a slice of a check brought.
struct CheckPart<Place: Sendable>: Sendable {
    var complaints: [Text] = []
    /// How much was looked at.
    var count = 0
    /// Where the next slice begins; nil at the end.
    var last: Place?
}
