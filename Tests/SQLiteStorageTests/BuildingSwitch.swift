import Synchronization

/// Holds the building of indexes until it is opened.
final class BuildingSwitch: Sendable {
    private let state = Atomic(false)

    var isOpen: Bool { state.load(ordering: .acquiring) }

    func open() {
        state.store(true, ordering: .releasing)
    }
}
