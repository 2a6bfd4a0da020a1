import HatoWire
import Testing

@Suite("AcceptEncoding")
struct AcceptEncodingTests {
    private func prefersGzip(_ values: [String]) -> Bool {
        let fields = values.map { "Accept-Encoding: \($0)\r\n" }.joined()
        var parser = RequestParser()
        var offset = 0
        let text = "GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
        expectStep(.request, of: &parser, on: Array(text.utf8), from: &offset)
        return AcceptEncoding.prefersGzip(parser.request)
    }

    @Test(
        "packs for who takes gzip",
        arguments: [
            ["gzip"], ["GZIP"], ["x-gzip"], ["gzip, deflate, br, zstd"], ["br;q=1.0, gzip;q=0.8"],
            ["gzip;q=0.001"], ["gzip ; q=1.000"], ["*"], ["*;q=0.5"], ["identity;q=0, *"],
            ["gzip;q=0.5, identity;q=0.5"], ["br", "gzip"], ["gzip;Q=1"], ["identity;q=0.5, gzip"],
            ["*;q=0, gzip"], ["gzip;q=1."],
        ]
    )
    func packs(values: [String]) {
        #expect(prefersGzip(values))
    }

    @Test(
        "leaves the body as it is for everybody else",
        arguments: [
            [], [""], ["identity"], ["br"], ["gzip;q=0"], ["gzip;q=0.000"], ["*;q=0"],
            ["gzip;q=0, *"],
            ["gzip;q=0.5, identity"], ["gzip;q=0.4, identity;q=0.5"], ["identity, *;q=0.9"],
            ["gzip, gzip;q=0"], ["gzip;q=2"], ["gzip;q=1.5"], ["gzip;q=0.0001"], ["gzip;q=a"],
            ["gzip;level=9"], ["gzip;"], ["gzipped"], ["gzip;q="], ["gzip;q=-1"],
        ]
    )
    func leaves(values: [String]) {
        #expect(!prefersGzip(values))
    }
}
