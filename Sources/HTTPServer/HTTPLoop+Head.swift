import HatoWire

extension HTTPLoop {
    /// Appends an answer's head.
    ///
    /// `closes` says so to the client; `keptAlive` says that an HTTP/1.0 connection stays.
    func appendHead(
        of response: Response,
        closes: Bool,
        keptAlive: Bool,
        hasOrigin: Bool,
        to output: inout [UInt8]
    ) {
        refreshDate()
        if response.status == 200 {
            output.append(contentsOf: datedSuccess)
        } else {
            ResponseHead.append(status: response.status, to: &output)
            output.append(contentsOf: dateLine)
        }
        if let type = response.contentType {
            append(type, to: &output)
        }
        if response.status != 204 && response.status != 304 {
            ResponseHead.append(contentLength: response.body.count, to: &output)
        }
        for (name, value) in response.headers {
            _ = ResponseHead.append(name: name, value: value, to: &output)
        }
        if hasOrigin, let policy = configuration.crossOrigin {
            ResponseHead.append(field: "Access-Control-Allow-Origin", "*", to: &output)
            _ = ResponseHead.append(
                name: "Access-Control-Expose-Headers",
                value: policy.exposedHeaders,
                to: &output
            )
        }
        if closes {
            ResponseHead.append(field: "Connection", "close", to: &output)
        } else if keptAlive {
            ResponseHead.append(field: "Connection", "keep-alive", to: &output)
        }
        ResponseHead.end(&output)
    }

    private func append(_ type: ContentType, to output: inout [UInt8]) {
        switch type {
        case .json:
            output.append(literal: "Content-Type: application/json\r\n")
        case .text:
            output.append(literal: "Content-Type: text/plain; charset=utf-8\r\n")
        case .html:
            output.append(literal: "Content-Type: text/html; charset=utf-8\r\n")
        case .bytes:
            output.append(literal: "Content-Type: application/octet-stream\r\n")
        }
    }
}
