import EventLoops
package import Cryptography
package import HatoWire
package import ObjectModel

/// Finds the application that a key opens; any thread.
///
/// Keys and settings come from the store at each call, so that a change by the command line is in
/// force for the next request; only the key schedules of signatures are kept here.
package final class ApplicationDirectory: Sendable {
    private let store: any ApplicationStore
    /// By client key; as many as there are applications.
    private let signers = Guarded<[Text: HMACKey]>([:])

    package init(store: any ApplicationStore) {
        self.store = store
    }

    package func application(applicationKey: Text) -> Application? {
        store.application(applicationKey: applicationKey)
    }

    package func application(relayKey: Text) -> Application? {
        store.application(relayKey: relayKey)
    }

    /// Returns the application's objects, from memory.
    ///
    /// Errors: `unavailable` while they are being opened, which the call has begun.
    package func objects(of application: Application) throws(DomainError) -> any ObjectStore {
        try store.objects(of: application)
    }

    /// Returns the key that the application's requests are signed with.
    package func signer(of application: Application) -> HMACKey {
        signers.withLock { signers in
            if let signer = signers[application.clientKey] { return signer }
            let signer = HMACKey(Array(application.clientKey.utf8))
            signers[application.clientKey] = signer
            return signer
        }
    }
}
