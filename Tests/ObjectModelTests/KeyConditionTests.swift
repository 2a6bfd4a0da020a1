import HatoWire
import ObjectModel
import Testing

@Suite("KeyCondition")
struct KeyConditionTests {
    @Test("what must be in an array is looked up by its keys, and the document is asked")
    func contents() throws {
        let one = Value.number(JSONNumber(1))
        let two = Value.number(JSONNumber(2))
        for (fieldOperator, literals) in [
            (FieldOperator.containsAny([two, one]), [one, two]),
            (.containsAll([two, one]), [two]),
        ] {
            let conditions = try conditions(fieldOperator)
            #expect(conditions.count == 1)
            #expect(conditions.first?.keys == .points(literals.map { OrderedKey($0).bytes }))
            #expect(conditions.first?.exactness == .never)
        }
        #expect(try conditions(.containsAll([])).isEmpty)
        #expect(try conditions(.containsAny([])).first?.keys == .points([]))
    }

    @Test("negations give no keys")
    func negations() throws {
        #expect(try conditions(.isNotIn([.null])).isEmpty)
        #expect(try conditions(.containsNone([.null])).isEmpty)
        #expect(try conditions(.notEqual(.null)).isEmpty)
    }

    @Test("a choice beside a condition leaves it a part of what is asked")
    func choices() throws {
        let field = Filter.field(try FieldPath("f"), .equal(.string("a")))
        #expect(field.keyConditions.first?.exactness == .always)
        let both = Filter.all([field, .any([field, .all([])])])
        #expect(both.keyConditions.map(\.exactness) == [.never])
        #expect(Filter.any([field]).keyConditions.isEmpty)
    }

    private func conditions(_ fieldOperator: FieldOperator) throws -> [KeyCondition] {
        Filter.field(try FieldPath("f"), fieldOperator).keyConditions
    }
}
