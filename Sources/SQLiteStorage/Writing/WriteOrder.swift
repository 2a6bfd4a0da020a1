import ObjectModel

/// A mutation with all that can be made ready before it reaches the writer thread.
struct WriteOrder: Sendable {
    static let emptyDocument = Array("{}".utf8)

    let mutation: Mutation
    /// The new object's document; empty unless the mutation creates one from changes alone.
    let document: [UInt8]
    /// The mutation's own ACL, taken apart.
    let access: ObjectAccess?

    /// Errors: what a field's change refuses.
    init(_ mutation: Mutation, limits: DocumentLimits) throws(DomainError) {
        self.mutation = mutation
        switch mutation {
        case .create(_, let changes, let acl, _):
            document = try FieldOperation.apply(
                changes,
                to: WriteOrder.emptyDocument,
                limits: limits
            )
            access = acl.map { ObjectAccess($0) }
        case .update(_, _, _, let acl, _):
            document = []
            access = acl.map { ObjectAccess($0) }
        case .delete, .signUp, .signUpOrIn, .updateUser, .deleteUser, .openSession, .closeSession,
            .configureClass, .setIndexes, .makeIndex:
            document = []
            access = nil
        }
    }
}
