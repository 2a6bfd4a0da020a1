/// The bounds by which `ListPlanner` chooses how a list comes by its rows.
///
/// They decide what a list costs, never what it answers: tests make them tiny, so that small stores
/// meet every way.
package struct PlannerLimits: Sendable {
    /// So few rows are worth no further thought.
    package var fewRows = 256
    /// At most so many visible rows make them the better way for a filter.
    package var visibleRows = 1_000
    /// So many keys are collected and sorted without asking whether a scan would end earlier.
    package var sortableKeys = 20_000
    /// Rows that are looked at to guess how soon a scan fills its page.
    package var sampleRows = 200
    /// A scan that may end within so many rows is not worth counting keys for.
    package var shortScan = 5_000

    /// For so long it is remembered that everybody sees many objects of a class: it only decides which
    /// walk is shorter, and rarely changes.
    package var visibilityMemory = Duration.seconds(5)

    package init() {}
}
