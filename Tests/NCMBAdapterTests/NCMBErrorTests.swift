import HTTPServer
import HatoWire
import ObjectModel
import Testing

@testable import NCMBAdapter

@Suite("NCMBError")
struct NCMBErrorTests {
    @Test("says every error of the domain with its code, status and text")
    func table() {
        let expected: [DomainError.Code: (Int, String, Text)] = [
            .malformedJSON: (400, "E400001", "JSON is invalid format."),
            .invalidType: (400, "E400002", "x is invalid."),
            .empty: (400, "E400003", "x is empty."),
            .invalidFormat: (400, "E400004", "x is invalid format."),
            .invalidValue: (400, "E400005", "x is not a valid value."),
            .unauthenticated: (401, "E401001", "Authentication error by header incorrect."),
            .wrongPassword: (401, "E401002", "Authentication error with ID/PASS incorrect."),
            .forbidden: (403, "E403001", "No access with ACL."),
            .prohibited: (403, "E403003", "Operation that are prohibited."),
            .notEnabled: (403, "E403005", "x must not be entered."),
            .invalidGeoPoint: (403, "E403006", "Invalid GeoPoint value."),
            .notFound: (404, "E404001", "No data available."),
            .duplicate: (409, "E409001", "x is duplication."),
            .documentTooLarge: (413, "E413002", "Document size Limit error."),
            .tooManyRequests: (429, "E429002", "Too many requests."),
            .unavailable: (503, "E503001", "Service unavailable."),
            .system: (500, "E500001", "System error."),
        ]
        for code in DomainError.Code.allCases {
            let error = NCMBError(DomainError(code, "x", cause: "a secret"))
            #expect(error.status == expected[code]?.0)
            #expect(error.code == expected[code]?.1)
            #expect(error.message == expected[code]?.2)
        }
    }

    @Test("is an object of two strings, whatever the subject holds")
    func json() {
        var body: [UInt8] = []
        NCMBError(DomainError(.invalidFormat, "a\"/\n鳩")).append(to: &body)
        #expect(
            String(decoding: body, as: UTF8.self)
                == #"{"code":"E400004","error":"a\"\/\n鳩 is invalid format."}"#
        )
    }

    @Test(
        "a failure below the routes keeps its status",
        arguments: [400, 404, 405, 408, 413, 414, 415, 417, 426, 429, 431, 500, 501, 503, 505]
    )
    func failures(status: Int) throws {
        let response = NCMBRoutes.response(to: RequestFailure(status: status, reason: "r"))
        #expect(response.status == status)
        #expect(response.contentType == .json)
        guard case .object(let object) = try JSON.parse(response.body),
            case .string(let code) = object["code"], case .string = object["error"]
        else { return #expect(Bool(false)) }
        #expect(code.string.hasPrefix("E\(status)"))
    }
}
