import EventLoops
import HatoTesting
import Testing

@Suite("Connection")
struct ConnectionTests {
    @Test("echoes what comes, on one loop and on two", arguments: [1, 2])
    func echo(loops: Int) throws {
        try withGroup(loops: loops, handler: { _ in TestHandler.echo() }) { _, port in
            for round in 0..<20 {
                let socket = try TestSocket(port: port)
                let bytes = Array("hello \(round)".utf8)
                try socket.send(bytes)
                var answer: [UInt8] = []
                while answer.count < bytes.count {
                    #expect(try socket.receive(into: &answer, awaiting: "the echo"))
                }
                #expect(answer == bytes)
            }
        }
    }

    @Test("takes nothing to send after finishSending, and goes on reading")
    func finishSending() throws {
        let heard = try Mailbox<[UInt8]>()
        try withGroup(
            handler: { _ in
                let handler = TestHandler()
                handler.onBytes = { bytes, connection in
                    if connection.send(Frame(bytes)) { connection.finishSending() }
                    let isRefused =
                        !connection.send(Frame([0])) && !connection.send(copying: [0].span)
                    heard.put(isRefused ? bytes : [])
                    if bytes == [3] { connection.close() }
                }
                return handler
            }
        ) { _, port in
            let socket = try TestSocket(port: port)
            for byte in [1, 2, 3] as [UInt8] {
                try socket.send([byte])
                #expect(try heard.next() == [byte])
            }
            var answer: [UInt8] = []
            while try socket.receive(into: &answer, awaiting: "the end") {}
            #expect(answer == [1])
        }
    }
}
