package import HatoWire

/// The port behind which the applications, their keys and settings live (`data/hato.db`).
///
/// A change is durable and in force for every later call when its method returns. Calls may block
/// for a disk write: never on a loop, except `application(…)` and `objects(of:)`, which look into
/// memory.
package protocol ApplicationStore: AnyObject, Sendable {
    /// All applications in the order of their creation.
    func applications() -> [Application]
    func application(applicationKey: Text) -> Application?
    func application(relayKey: Text) -> Application?
    func application(named name: Text) -> Application?

    /// Errors: `duplicate` with `name`, `applicationKey` or `relayKey` as subject.
    func create(_ application: Application) throws(DomainError)
    /// Replaces the settings. Errors: `notFound`.
    func set(_ settings: ApplicationSettings, forApplicationNamed name: Text) throws(DomainError)

    /// Returns the application's objects, from memory; any thread, loops included.
    ///
    /// Errors: `unavailable` while they are not open yet; the call has them opened meanwhile.
    func objects(of application: Application) throws(DomainError) -> any ObjectStore
    /// Returns the application's objects, opening them when needed; blocks for the disk.
    ///
    /// Errors: `unavailable` with the reason as cause.
    func openObjects(of application: Application) throws(DomainError) -> any ObjectStore
}
