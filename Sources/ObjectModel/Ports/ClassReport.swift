package import HatoWire

/// What a store tells its operator about a class (`hato class show`).
package struct ClassReport: Sendable {
    /// A field that objects have, at the top level of their documents.
    package struct Field: Sendable, Equatable {
        package var name: Text
        /// What its values are, the most frequent type first.
        package var types: [TypeCount]

        package init(name: Text, types: [TypeCount]) {
            self.name = name
            self.types = types
        }

        /// How many of the objects that were looked at have the field.
        package var count: Int { types.reduce(0) { $0 + $1.count } }
    }

    /// How many values of a field are of one type.
    package struct TypeCount: Sendable, Equatable {
        package var type: FieldType
        package var count: Int

        package init(type: FieldType, count: Int) {
            self.type = type
            self.count = count
        }
    }

    /// An index over one field.
    package struct Index: Sendable, Equatable {
        package enum State: Sendable, Equatable {
            /// So many of the class's objects are in it.
            case building(done: Int, total: Int)
            case ready
            /// Declared, and given up while it was built.
            case failed(IndexFailure)
        }

        package var path: Text
        /// Whether the operator asked for it; others the server made itself.
        package var isDeclared: Bool
        package var state: State
        package var keyCount: Int
        /// What the keys take in the file, estimated.
        package var byteCount: Int
        /// About when a list used it last; nil: never since it was made, as far as is known.
        package var lastUsed: Timestamp?

        package init(
            path: Text,
            isDeclared: Bool,
            state: State,
            keyCount: Int = 0,
            byteCount: Int = 0,
            lastUsed: Timestamp? = nil
        ) {
            self.path = path
            self.isDeclared = isDeclared
            self.state = state
            self.keyCount = keyCount
            self.byteCount = byteCount
            self.lastUsed = lastUsed
        }
    }

    /// Lists with one filter that had to look at many documents, since the store was opened.
    package struct SlowFilter: Sendable, Equatable {
        /// The filter without its values: `room = ?, n > ?`.
        package var shape: Text
        package var count: Int
        package var duration: Duration
        package var examinedRows: Int64

        package init(shape: Text, count: Int, duration: Duration, examinedRows: Int64) {
            self.shape = shape
            self.count = count
            self.duration = duration
            self.examinedRows = examinedRows
        }
    }

    package var objectCount: Int
    /// Of all documents; an estimate when `isSampled`.
    package var documentBytes: Int
    package var settings: ClassSettings
    /// The most frequent first; as many as the store's limit allows.
    package var fields: [Field]
    /// Whether `fields` come from the newest objects only.
    package var isSampled: Bool
    package var indexes: [Index]
    /// The most expensive first.
    package var slowFilters: [SlowFilter]

    package init(
        objectCount: Int,
        settings: ClassSettings,
        documentBytes: Int = 0,
        fields: [Field] = [],
        isSampled: Bool = false,
        indexes: [Index] = [],
        slowFilters: [SlowFilter] = []
    ) {
        self.objectCount = objectCount
        self.documentBytes = documentBytes
        self.settings = settings
        self.fields = fields
        self.isSampled = isSampled
        self.indexes = indexes
        self.slowFilters = slowFilters
    }
}

/// A class and how many objects it has.
package struct ClassSummary: Sendable, Equatable {
    package var name: ClassName
    package var objectCount: Int
    /// Declared indexes that could not be built, by their fields.
    package var failedIndexes: [Text]

    package init(name: ClassName, objectCount: Int, failedIndexes: [Text] = []) {
        self.name = name
        self.objectCount = objectCount
        self.failedIndexes = failedIndexes
    }
}
