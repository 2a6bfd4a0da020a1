import HatoWire
import ObjectModel
import SQLStorage

/// The check of a store: what is kept twice is compared, a step after the other.
extension StoreInspector {
    /// Who hears how far a check is.
    typealias Telling = @Sendable (Text) -> Void

    /// Returns a sentence for each thing that is wrong.
    func verify(telling tell: @escaping Telling) async throws(DomainError) -> [Text] {
        var complaints = try await fileComplaints(tell)
        // What a damaged file says about its objects is worth nothing.
        guard complaints.isEmpty else { return bounded(complaints) }
        try await checkAccess(&complaints, tell)
        try await checkIndexes(&complaints, tell)
        return bounded(complaints)
    }

    private func bounded(_ complaints: [Text]) -> [Text] {
        guard complaints.count > limits.checkComplaints else { return complaints }
        return complaints.prefix(limits.checkComplaints) + ["there is more"]
    }

    private func fileComplaints(_ tell: Telling) async throws(DomainError) -> [Text] {
        let wholeLimit = limits.wholeCheckBytes
        let parts = try await step { session in
            try FileCheck(session.connection).parts(wholeLimit: wholeLimit)
        }
        var complaints: [Text] = []
        for part in parts {
            complaints += try await step { session in
                try FileCheck(session.connection).complaints(about: part)
            }
            tell(Text("looked at \(part.name)"))
        }
        return complaints
    }

    /// Compares flags and grants with the access lists, slice by slice.
    private func checkAccess(
        _ complaints: inout [Text],
        _ tell: Telling
    ) async throws(DomainError) {
        let directory = snapshot.directory
        let slice = limits.checkSlice
        try await inSlices(from: 0, "objects", &complaints, tell) { connection, after in
            try AccessCheck(connection, directory).objects(after: after, limit: slice)
        }
        let first = AccessCheck.Grant.first
        try await inSlices(from: first, "grants", &complaints, tell) { connection, after in
            try AccessCheck(connection, directory).grants(after: after, limit: slice)
        }
    }

    /// Compares the indexes with the documents, slice by slice.
    private func checkIndexes(
        _ complaints: inout [Text],
        _ tell: Telling
    ) async throws(DomainError) {
        let slice = limits.checkSlice
        let subjects = try await step { try IndexCheck($0.connection).subjects() }
        for subject in subjects {
            let name = "of index \(subject.number) on \(subject.path.text)"
            let first = subject.rows.first - 1
            try await inSlices(from: first, "objects \(name)", &complaints, tell) {
                try IndexCheck($0).objects(of: subject, after: $1, limit: slice)
            }
            try await inSlices(from: .first, "keys \(name)", &complaints, tell) {
                try IndexCheck($0).keys(of: subject, after: $1, limit: slice)
            }
        }
        guard complaints.count <= limits.checkComplaints else { return }
        complaints += try await step { session in
            try session.inTransaction { try IndexCheck($0).strayKeys() }
        }
    }

    /// Goes on from `first`, a slice in each read transaction, to the end or until there are too many
    /// complaints.
    private func inSlices<Place: Sendable>(
        from first: Place,
        _ what: String,
        _ complaints: inout [Text],
        _ tell: Telling,
        _ slice:
            @escaping @Sendable (SQLiteConnection, _ after: Place) throws -> CheckPart<Place>
    ) async throws(DomainError) {
        var place: Place? = first
        var count = 0
        while let after = place, complaints.count <= limits.checkComplaints {
            let part = try await step { session in
                try session.inTransaction { try slice($0, after) }
            }
            complaints += part.complaints
            count += part.count
            place = part.last
            tell(Text("compared \(count) \(what)"))
        }
    }
}
