import HatoWire
import ObjectModel

/// A question that two evaluators answer differently, with all that is needed to ask it again.
struct Difference: CustomStringConvertible, Sendable {
    var evaluator: String
    var seed: UInt64
    var question: Question
    var objects: [Subject]
    var expected: Answer
    var actual: Answer

    var description: String {
        let query = question.query
        let lines =
            [
                "\(evaluator), seed \(seed)",
                "where \(query.filter.text)",
                "order [\(query.order.map(\.text).joined(separator: ", "))]"
                    + " limit \(query.limit) skip \(query.skip) count \(query.wantsCount)",
                "as \(question.principal.isAdministrator ? ["administrator"] : question.principal.keys)",
                "reference: \(expected.numbers) count \(expected.count.map(String.init) ?? "-")",
                "evaluator: \(actual.numbers) count \(actual.count.map(String.init) ?? "-")",
                "\(objects.count) objects:",
            ]
            + objects.prefix(Difference.shownObjects).map { object in
                "  \(object.number): row \(object.row) id \(object.id) created \(object.created.text)"
                    + " updated \(object.updated.text) acl \(string(ACL(object.acl).json))"
                    + " \(string(object.stored.document))"
            }
        return lines.joined(separator: "\n")
    }

    /// More than these are named by the seed alone.
    private static let shownObjects = 20
}

private func string(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

extension OrderTerm {
    var text: String {
        let origin = origin.map { " from (\($0.latitude), \($0.longitude))" } ?? ""
        return (isDescending ? "-" : "") + path.text.string + origin
    }
}

extension Filter {
    /// The filter as a client might write it, with `$and` for what JSON joins by commas.
    var text: String {
        switch self {
        case .all(let parts): "{\"$and\":[\(parts.map(\.text).joined(separator: ","))]}"
        case .any(let parts): "{\"$or\":[\(parts.map(\.text).joined(separator: ","))]}"
        case .field(let path, let condition): "{\"\(path.text)\":\(condition.text)}"
        }
    }
}

extension FieldOperator {
    var text: String {
        switch self {
        case .equal(let value): "{\"$eq\":\(json(value))}"
        case .notEqual(let value): "{\"$ne\":\(json(value))}"
        case .less(let value): "{\"$lt\":\(json(value))}"
        case .lessOrEqual(let value): "{\"$lte\":\(json(value))}"
        case .greater(let value): "{\"$gt\":\(json(value))}"
        case .greaterOrEqual(let value): "{\"$gte\":\(json(value))}"
        case .isIn(let values): "{\"$in\":\(json(.array(values)))}"
        case .isNotIn(let values): "{\"$nin\":\(json(.array(values)))}"
        case .exists(let wanted): "{\"$exists\":\(wanted)}"
        case .matches(let pattern): "{\"$regex\":\(json(.string(pattern.text)))}"
        case .containsAny(let values): "{\"$inArray\":\(json(.array(values)))}"
        case .containsNone(let values): "{\"$ninArray\":\(json(.array(values)))}"
        case .containsAll(let values): "{\"$all\":\(json(.array(values)))}"
        case .near(let circle):
            "{\"$nearSphere\":[\(circle.center.latitude),\(circle.center.longitude)],"
                + "\"radians\":\(circle.radiusRadians.map { "\($0)" } ?? "null")}"
        case .within(let box):
            "{\"$box\":[[\(box.southWest.latitude),\(box.southWest.longitude)],"
                + "[\(box.northEast.latitude),\(box.northEast.longitude)]]}"
        }
    }

    private func json(_ value: Value) -> String {
        String(decoding: value.canonicalBytes, as: UTF8.self)
    }
}
