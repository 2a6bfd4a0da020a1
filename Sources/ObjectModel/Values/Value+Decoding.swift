package import HatoWire

extension Value {
    /// Recognises NCMB's typed objects and checks all names inside (ncmb-rest §6, rulings 4).
    ///
    /// Members that a typed object need not have are dropped. An included object
    /// (`"__type":"Object"`), which the JavaScript SDK sends back as it got it, is its Pointer again.
    ///
    /// Errors, with `field` as subject: `invalidType` for an unknown `__type`, for typed objects whose
    /// members have other types, and for operations inside a value; `invalidFormat` for a Date that
    /// is none and for bad names; `invalidGeoPoint`.
    package init(json: JSON, field: Text) throws(DomainError) {
        switch json {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .number(let number): self = .number(number)
        case .string(let text): self = .string(text)
        case .array(let elements):
            var values: [Value] = []
            values.reserveCapacity(elements.count)
            for element in elements {
                values.append(try Value(json: element, field: field))
            }
            self = .array(values)
        case .object(let object):
            if let type = object["__type"] {
                self = try Value(type: type, object, field: field)
            } else {
                self = try Value(plain: object, field: field)
            }
        }
    }

    private init(plain object: JSONObject, field: Text) throws(DomainError) {
        var members: [ValueMember] = []
        members.reserveCapacity(object.members.count)
        for member in object.members {
            guard member.name != "__op" else { throw DomainError(.invalidType, field) }
            guard FieldName.isAllowedInside(member.name) else {
                throw DomainError(.invalidFormat, field)
            }
            members.append(
                ValueMember(name: member.name, value: try Value(json: member.value, field: field))
            )
        }
        self = .object(members)
    }

    private init(type: JSON, _ object: JSONObject, field: Text) throws(DomainError) {
        guard case .string(let type) = type else { throw DomainError(.invalidType, field) }
        switch type {
        case "Date":
            guard case .string(let iso) = object["iso"] else {
                throw DomainError(.invalidType, field)
            }
            guard let timestamp = Timestamp(iso: iso) else {
                throw DomainError(.invalidFormat, field)
            }
            self = .date(timestamp)
        case "GeoPoint":
            self = try Value.geoPoint(object, field: field)
        case "Pointer", "Object":
            guard case .string(let className) = object["className"],
                case .string(let objectID) = object["objectId"],
                ClassName.isPointerTarget(className), ObjectID.isValid(objectID)
            else { throw DomainError(.invalidType, field) }
            self = .pointer(className: className, objectID: objectID)
        case "Relation":
            guard case .string(let className) = object["className"],
                ClassName.isPointerTarget(className)
            else { throw DomainError(.invalidType, field) }
            self = .relation(className: className)
        default:
            throw DomainError(.invalidType, field)
        }
    }

    private static func geoPoint(_ object: JSONObject, field: Text) throws(DomainError) -> Value {
        guard case .number(let latitude) = object["latitude"],
            case .number(let longitude) = object["longitude"],
            isWithin(latitude, 90), isWithin(longitude, 180)
        else { throw DomainError(.invalidGeoPoint, field) }
        return .geoPoint(latitude: latitude, longitude: longitude)
    }

    private static func isWithin(_ number: JSONNumber, _ degrees: Int64) -> Bool {
        let value = number.value
        return value >= .integer(-degrees) && value <= .integer(degrees)
    }
}
