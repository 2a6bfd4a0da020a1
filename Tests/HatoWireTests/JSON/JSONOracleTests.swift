import Foundation
import HatoWire
import Testing

/// Random and damaged texts, with Foundation's parser as the oracle.
@Suite("JSON against JSONSerialization")
struct JSONOracleTests {
    @Test("reads random documents as Foundation does")
    func readsRandomDocuments() throws {
        var random = SplitMix(seed: 7)
        for _ in 0..<2_000 {
            let text = randomText(&random, depth: 0)
            let ours = try JSON.parse(Array(text.utf8))
            let theirs = try JSONSerialization.jsonObject(
                with: Data(text.utf8),
                options: .fragmentsAllowed
            )
            let agreesOnce = agree(ours, theirs)
            #expect(agreesOnce, "\(text)")
            let canonical = JSONWriter.bytes(ours)
            let again = try JSONSerialization.jsonObject(
                with: Data(canonical),
                options: .fragmentsAllowed
            )
            let agrees = agree(ours, again)
            #expect(agrees, "\(text)")
        }
    }

    @Test("accepts of damaged documents only what Foundation accepts, and never traps")
    func refusesDamagedDocuments() throws {
        var random = SplitMix(seed: 11)
        let stricter: Set<JSONError.Code> = [
            .duplicateName, .loneSurrogate, .nulInName, .numberOutOfRange, .byteOrderMark,
        ]
        var accepted = 0
        var refused = 0
        for _ in 0..<6_000 {
            var bytes = Array(randomText(&random, depth: 0).utf8)
            for _ in 0...random.below(2) { damage(&bytes, &random) }
            let theirs = try? JSONSerialization.jsonObject(
                with: Data(bytes),
                options: .fragmentsAllowed
            )
            do {
                let ours = try JSON.parse(bytes)
                accepted += 1
                let theirs = try #require(theirs, "\(String(decoding: bytes, as: UTF8.self))")
                let agrees = agree(ours, theirs)
                #expect(agrees, "\(String(decoding: bytes, as: UTF8.self))")
            } catch let error as JSONError {
                refused += 1
                #expect(
                    theirs == nil || stricter.contains(error.code)
                        || isFoundationsOwn(bytes, error),
                    "\(error) \(String(decoding: bytes, as: UTF8.self)) \(bytes)"
                )
            }
        }
        #expect(accepted > 500 && refused > 500)
    }

    /// Foundation guesses UTF-16 and UTF-32 from NUL bytes (RFC 8259 8.1 has UTF-8 only), and takes a
    /// comma before a closing bracket.
    private func isFoundationsOwn(_ bytes: [UInt8], _ error: JSONError) -> Bool {
        if bytes.prefix(4).contains(0) { return true }
        return error.code == .unexpectedByte && [0x7D, 0x5D].contains(bytes[error.offset])
            && bytes[..<error.offset].last { $0 != 0x20 && $0 != 0x0A } == 0x2C
    }

    private func damage(_ bytes: inout [UInt8], _ random: inout SplitMix) {
        guard !bytes.isEmpty else { return }
        let position = random.below(bytes.count)
        let alphabet = Array("{}[]\",:\\u0d8e-+.1tfn \n\u{1}".utf8) + [0x80, 0xC3, 0xED, 0xFF]
        switch random.below(4) {
        case 0: bytes.remove(at: position)
        case 1: bytes[position] = alphabet[random.below(alphabet.count)]
        case 2: bytes.insert(alphabet[random.below(alphabet.count)], at: position)
        default: bytes.removeSubrange(position...)
        }
    }

    private func randomText(_ random: inout SplitMix, depth: Int) -> String {
        let space = random.below(4) == 0 ? " " : ""
        switch random.below(depth > 4 ? 6 : 9) {
        case 0: return ["null", "true", "false"][random.below(3)]
        case 1: return String(Int64(bitPattern: random.next()) >> Int64(random.below(64)))
        case 2: return String(Double(Int64(bitPattern: random.next()) >> 20) / 1024)
        case 3: return ["-0", "1e5", "1E+2", "2.5e-3", "-1.25", "0.1", "1e22"][random.below(7)]
        case 4, 5: return randomString(&random)
        case 6:
            let elements = (0..<random.below(5)).map { _ in randomText(&random, depth: depth + 1) }
            return "[" + space + elements.joined(separator: "," + space) + space + "]"
        default:
            let members = (0..<random.below(6)).map { index in
                let name = randomString(&random).dropLast() + "\(index)\""
                return name + space + ":" + randomText(&random, depth: depth + 1)
            }
            return "{" + members.joined(separator: space + ",") + "}"
        }
    }

    private func randomString(_ random: inout SplitMix) -> String {
        let pieces = [
            "a", "Chat", "日本", "é", "e\u{301}", "😀", "\\n", "\\\"", "\\\\", "\\/", "/", "\\u00e9",
            "\\ud83d\\ude00", "\\u001f", " ", "{", "]", "longer text here", "\u{7F}",
        ]
        return "\"" + (0..<random.below(6)).map { _ in pieces[random.below(pieces.count)] }.joined()
            + "\""
    }

    private func agree(_ ours: JSON, _ theirs: Any) -> Bool {
        switch ours {
        case .null: return theirs is NSNull
        case .bool(let value): return (theirs as? Bool) == value
        case .number(let number):
            guard let theirs = theirs as? NSNumber else { return false }
            switch number.value {
            case .integer(let integer):
                return theirs.int64Value == integer || theirs.doubleValue == Double(integer)
            case .double(let double):
                // Foundation reads long decimals through NSDecimalNumber, and misses the last bit.
                return double == Double(number.text.string)
                    && abs(theirs.doubleValue - double) <= abs(double) * 0x1p-50
            }
        case .string(let text):
            guard let theirs = theirs as? String else { return false }
            return Text(theirs) == text
        case .array(let elements):
            guard let theirs = theirs as? [Any], theirs.count == elements.count else {
                return false
            }
            return zip(elements, theirs).allSatisfy { agree($0, $1) }
        case .object(let object):
            guard let theirs = theirs as? [String: Any] else { return false }
            // Foundation's dictionary merges names that are canonically equivalent.
            let names = Set(object.members.map { $0.name.string })
            guard names.count == object.members.count else { return true }
            return theirs.count == names.count
                && object.members.allSatisfy { member in
                    theirs[member.name.string].map { agree(member.value, $0) } ?? false
                }
        }
    }
}

/// A generator whose run is the same every time (Steele, Lea, Flood: SplitMix64).
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        self.state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ limit: Int) -> Int {
        Int(next() % UInt64(limit))
    }
}
