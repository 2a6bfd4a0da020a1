import HatoWire
import ObjectModel

/// Reads the JSON body of a request.
enum RequestBody {
    /// Returns the object that the body is.
    ///
    /// Errors: E415001 for a content type other than JSON; E413002 for a body that no document can
    /// come from, unparsed when it is too long; E400001 for an empty body, damaged JSON, and JSON that
    /// is no object.
    static func object(
        of request: HTTPRequest,
        limits: DocumentLimits
    ) throws(NCMBError) -> JSONObject {
        if let type = request.value("content-type"), !isJSON(type) {
            throw .unsupportedMediaType
        }
        do throws(DomainError) {
            return try ObjectDraft.object(body: request.body, limits: limits)
        } catch {
            throw NCMBError(error)
        }
    }

    /// Whether a content type is `application/json`, with any parameters; an empty one is none.
    private static func isJSON(_ value: ArraySlice<UInt8>) -> Bool {
        let type = value.prefix { $0 != 0x3B && $0 != 0x20 && $0 != 0x09 }
        return value.isEmpty
            || type.elementsEqual("application/json".utf8) { $0 | 0x20 == $1 | 0x20 }
    }
}
