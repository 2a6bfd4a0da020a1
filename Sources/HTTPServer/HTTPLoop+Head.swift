import HatoWire

extension HTTPLoop {
    /// Puts an answer's head into `scratch`.
    ///
    /// `closes` says so to the client; `keptAlive` says that an HTTP/1.0 connection stays.
    func writeHead(of response: Response, closes: Bool, keptAlive: Bool, hasOrigin: Bool) {
        scratch.removeAll(keepingCapacity: scratch.capacity <= 65_536)
        ResponseHead.append(status: response.status, to: &scratch)
        appendDate(to: &scratch)
        if let type = response.contentType {
            append(type)
        }
        if response.status != 204 && response.status != 304 {
            ResponseHead.append(contentLength: response.body.count, to: &scratch)
        }
        for (name, value) in response.headers {
            _ = ResponseHead.append(name: name, value: value, to: &scratch)
        }
        if hasOrigin, let policy = configuration.crossOrigin {
            ResponseHead.append(field: "Access-Control-Allow-Origin", "*", to: &scratch)
            _ = ResponseHead.append(
                name: "Access-Control-Expose-Headers",
                value: policy.exposedHeaders,
                to: &scratch
            )
        }
        if closes {
            ResponseHead.append(field: "Connection", "close", to: &scratch)
        } else if keptAlive {
            ResponseHead.append(field: "Connection", "keep-alive", to: &scratch)
        }
        ResponseHead.end(&scratch)
    }

    private func append(_ type: ContentType) {
        switch type {
        case .json:
            ResponseHead.append(field: "Content-Type", "application/json", to: &scratch)
        case .text:
            ResponseHead.append(field: "Content-Type", "text/plain; charset=utf-8", to: &scratch)
        case .html:
            ResponseHead.append(field: "Content-Type", "text/html; charset=utf-8", to: &scratch)
        case .bytes:
            ResponseHead.append(field: "Content-Type", "application/octet-stream", to: &scratch)
        case .other(let text):
            _ = ResponseHead.append(name: "Content-Type", value: text, to: &scratch)
        }
    }
}
