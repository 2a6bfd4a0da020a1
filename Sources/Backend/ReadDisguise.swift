import HatoWire
import ObjectModel

/// What a caller is told of an object that it may not touch (rulings 5).
///
/// Where the application's `hidesUnreadable` is set, an object that the caller may not even read is
/// answered as one that is not there: by every verb, for users as for all other classes.
struct ReadDisguise: Sendable {
    let application: Application
    let store: any ObjectStore
    let loopIndex: Int

    /// Returns what the caller is told of an object that exists and that it may not read.
    var unreadable: DomainError {
        DomainError(application.settings.hidesUnreadable ? .notFound : .forbidden)
    }

    /// Returns what the caller is told of a refused write; errors other than `forbidden` stay.
    ///
    /// On the loop's thread only: it may ask whether the caller reads the object.
    func of(
        _ error: DomainError,
        _ className: ClassName,
        _ id: Text,
        _ principal: Principal
    ) throws(DomainError) -> DomainError {
        guard error.code == .forbidden, application.settings.hidesUnreadable else { return error }
        return try refusal(className, id, principal)
    }

    /// Returns the error for a caller that may not change an object, which may not be there.
    ///
    /// On the loop's thread only.
    func refusal(
        _ className: ClassName,
        _ id: Text,
        _ principal: Principal
    ) throws(DomainError) -> DomainError {
        var ignored: [UInt8] = []
        let reader = try store.reader(onLoop: loopIndex)
        switch try reader.append(className, id, as: principal, to: &ignored) {
        case .found: return DomainError(.forbidden)
        case .forbidden: return unreadable
        case .missing: return DomainError(.notFound)
        }
    }
}
