import Realtime
import HatoTesting
import Testing

@testable import PieSocketAdapter

@Suite("ReservedEvent")
struct ReservedEventTests {
    @Test(
        "finds the server's events in every spelling that some client reads",
        arguments: [
            #"{"event":"system:member_list"}"#, #"{"data":1,"event":"system:member_joined"}"#,
            #" { "event" : "system:member_left" } "#, #"{"event":"system:member_x"}"#,
            #"{"event":"\u0073ystem:member_left"}"#, #"{"\u0065vent":"system:member_left"}"#,
            #"{"event":"\system:member_left"}"#, #"{event:'system:member_left'}"#,
            #"/**/{"event":"system:member_left"}"#, #"{"event":["system:member_left"]}"#,
            #"{"event":["\u0073ystem:member_left"]}"#,
            #"{"event":"a","event":"system:member_left"}"#,
            "\u{FEFF}{\"event\":\"system:member_left\"}",
        ]
    )
    func reserved(text: String) {
        #expect(ReservedEvent.isNamed(by: Array(text.utf8)))
    }

    @Test(
        "lets everything else pass",
        arguments: [
            "", "{", "system:member_left", #"{"event":"system:video_offer"}"#,
            #"{"event":"x","data":"system:member_left"}"#,
            #"{"data":{"event":"system:member_left"}}"#, #"[{"event":"system:member_left"}]"#,
            #"{"event":"about system:member_left"}"#, #"{"event":"hello", "data":"not " JSON"}"#,
            #"{"event":"he said \"\u3042\" \n"}"#, #"{"event":"SYSTEM:MEMBER_LEFT"}"#, #"{"a":"\"#,
            #"{"a":"\u00"#,
        ]
    )
    func free(text: String) {
        #expect(!ReservedEvent.isNamed(by: Array(text.utf8)))
    }

    @Test("reads any bytes without a trap")
    func noise() {
        var generator = SeededGenerator(seed: 5)
        let event = Array(#"{"event":"\u0073ystem:member_left","d":[1,{"a":"\\"}]}"#.utf8)
        for _ in 0..<2_000 {
            var bytes = event
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let index = Int.random(in: bytes.indices, using: &generator)
                bytes[index] = UInt8.random(in: .min ... .max, using: &generator)
            }
            _ = ReservedEvent.isNamed(by: Array(bytes.prefix(Int.random(in: 0...bytes.count))))
        }
    }

    @Test("is told in UTF-16 and UTF-32 too, which some readers take bytes for")
    func wideEncodings() {
        let text = Array(#"{"event":"system:member_list","data":{"members":[]}}"#.utf8)
        for width in [2, 4] {
            let low = text.flatMap { [$0] + [UInt8](repeating: 0, count: width - 1) }
            let high = text.flatMap { [UInt8](repeating: 0, count: width - 1) + [$0] }
            #expect(ReservedEvent.isNamed(by: low))
            #expect(ReservedEvent.isNamed(by: high))
        }
        #expect(!ReservedEvent.isNamed(by: [0, 0x7B, 0, 0x7D]))
    }
}
