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
}
