import HatoWire

/// What every request and every relayed message pays: heads, JSON, frames.
extension MicroBenchmark {
    static let wire: [MicroBenchmark] = [
        MicroBenchmark(name: "request-head", iterations: 2_000) { iterations in
            let head = hidden(Samples.requestHead)
            var parser = RequestParser()
            var sum = 0
            for _ in 0..<iterations {
                var offset = 0
                guard case .request = parser.parse(head.span, from: &offset) else { return nil }
                guard parser.request.fields.count == 6 else { return nil }
                sum &+= offset
                parser.reset()
            }
            return sum
        },
        MicroBenchmark(name: "json-tape", iterations: 2_000) { iterations in
            let text = hidden(Samples.chat)
            var tape = JSONTape()
            var sum = 0
            for _ in 0..<iterations {
                do throws(JSONError) {
                    try tape.parse(text.span)
                } catch {
                    return nil
                }
                sum &+= tape.entries.count
            }
            return sum
        },
        MicroBenchmark(name: "json-tree", iterations: 1_000) { iterations in
            let text = hidden(Samples.chat)
            var sum = 0
            for _ in 0..<iterations {
                guard case .object(let object)? = try? JSON.parse(text) else { return nil }
                sum &+= object.members.count
            }
            return sum
        },
        MicroBenchmark(name: "json-write", iterations: 1_000) { iterations in
            guard let tree = try? JSON.parse(hidden(Samples.chat)) else { return nil }
            var output: [UInt8] = []
            var sum = 0
            for _ in 0..<iterations {
                output.removeAll(keepingCapacity: true)
                JSONWriter.append(tree, to: &output)
                guard output.count == Samples.chat.count else { return nil }
                sum &+= output.count
            }
            return sum
        },
        MicroBenchmark(name: "frame-parse", iterations: 2_000) { iterations in
            let frame = hidden(Samples.maskedFrame)
            var parser = WebSocketParser(role: .server, messageLimitBytes: 1 << 20)
            var sum = 0
            for _ in 0..<iterations {
                var offset = 0
                guard case .message(isText: true) = parser.parse(frame.span, from: &offset) else {
                    return nil
                }
                guard parser.payload.count == Samples.chat.count else { return nil }
                sum &+= offset
            }
            return sum
        },
        MicroBenchmark(name: "frame-encode", iterations: 4_000) { iterations in
            let payload = hidden(Samples.chat)
            var sum = 0
            for _ in 0..<iterations {
                sum &+= hidden(WebSocketFrame.encode(.text, payload.span)).count
            }
            return sum
        },
    ]
}
