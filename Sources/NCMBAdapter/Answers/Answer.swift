import Backend
import HatoWire
import HTTPServer
import ObjectModel

/// The bodies of this protocol's answers, built by HatoWire's writers.
enum Answer {
    static func json(_ status: Int, _ body: [UInt8]) -> Response {
        Response.json(body, status: status)
    }

    /// Objects that were read, one or a list.
    ///
    /// Compressed (BREACH) only where no secret can be in them: objects of the data store that everybody may
    /// read. A caller with a session also sees what others must not, beside what others may write.
    static func objects(
        _ body: [UInt8],
        of className: ClassName,
        readBy principal: Principal
    ) -> Response {
        var response = json(200, body)
        response.mayBeCompressed = className.isDataStore && principal == .stranger
        return response
    }

    /// What a delete and a logout answer: 200 and no body, because SDKs take no other 2xx.
    static func empty() -> Response {
        Response(status: 200)
    }

    static func error(_ error: NCMBError) -> Response {
        var body: [UInt8] = []
        error.append(to: &body)
        return json(error.status, body)
    }

    /// `{"createDate":"…","objectId":"…"}` and nothing else: SDKs copy every key into the object.
    static func created(_ created: ObjectService.Created) -> Response {
        var body: [UInt8] = []
        JSONWriter.append(literal: #"{"createDate":""#, to: &body)
        created.created.append(to: &body)
        JSONWriter.append(literal: #"","objectId":"#, to: &body)
        JSONWriter.append(string: created.id, to: &body)
        body.append(0x7D)
        return json(201, body)
    }

    /// `{"updateDate":"…"}`.
    static func updated(_ moment: Timestamp) -> Response {
        var body: [UInt8] = []
        JSONWriter.append(literal: #"{"updateDate":""#, to: &body)
        moment.append(to: &body)
        JSONWriter.append(literal: #""}"#, to: &body)
        return json(200, body)
    }

    /// `{"results":[…]}`, with `count` in front when it was asked for.
    ///
    /// Written around the objects by the thread that lists them: an answer of 32 MB is copied no more.
    static let results = ListEnvelope(
        open: { count, output in
            output.append(0x7B)
            if let count {
                JSONWriter.append(literal: #""count":"#, to: &output)
                output.append(contentsOf: String(count).utf8)
                output.append(0x2C)
            }
            JSONWriter.append(literal: #""results":["#, to: &output)
        },
        close: { JSONWriter.append(literal: "]}", to: &$0) }
    )
}
