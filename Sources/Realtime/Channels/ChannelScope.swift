import HatoWire

/// The channels of one relay key; changed in place, because a copy would cost all of them.
///
/// A channel keeps its place while it has a member, so that all can be listed a piece at a time.
struct ChannelScope {
    /// A channel and how many have a seat there, or are about to take or leave one.
    private struct Entry {
        let name: Text
        let channel: Channel
        /// When it began, by the hub's count of joins.
        let beganAt: UInt64
        var members: Int
    }

    private var places: [Text: Int] = [:]
    private var entries: [Entry?] = []
    private var vacant: [Int] = []
    private var members = 0

    var counts: ChannelHub.Counts { ChannelHub.Counts(channels: places.count, members: members) }

    func channel(_ name: Text) -> Channel? {
        places[name].flatMap { entries[$0]?.channel }
    }

    /// Counts one more in a channel, which `make` makes when it is not there.
    mutating func reserve(
        _ name: Text,
        at join: UInt64,
        _ limits: ChannelLimits,
        _ quota: ScopeQuota,
        make: () -> Channel
    ) -> Result<Channel, ChannelRefusal> {
        guard members < quota.members ?? .max else { return .failure(.tooManyConnections) }
        guard let place = places[name] else {
            guard places.count < min(limits.channelsPerScope, quota.channels ?? .max) else {
                return .failure(.tooManyChannels)
            }
            guard limits.membersPerChannel > 0 else { return .failure(.tooManyMembers) }
            let channel = make()
            add(Entry(name: name, channel: channel, beganAt: join, members: 1))
            return .success(channel)
        }
        guard let entry = entries[place], entry.members < limits.membersPerChannel else {
            return .failure(.tooManyMembers)
        }
        entries[place]?.members += 1
        members += 1
        return .success(entry.channel)
    }

    private mutating func add(_ entry: Entry) {
        members += 1
        if let place = vacant.popLast() {
            entries[place] = entry
            places[entry.name] = place
        } else {
            places[entry.name] = entries.count
            entries.append(entry)
        }
    }

    /// Counts one less in a channel, which ends with its last member.
    mutating func giveBack(_ name: Text) {
        guard let place = places[name], let entry = entries[place] else { return }
        members -= 1
        entries[place]?.members -= 1
        guard entry.members == 1 else { return }
        entries[place] = nil
        places[name] = nil
        vacant.append(place)
    }

    /// Returns the channels at the next places of a listing that had begun before it.
    func next(of listing: inout ChannelListing) -> [(name: Text, members: Int)]? {
        guard listing.place < entries.count else { return nil }
        let end = min(listing.place + ChannelListing.pieceCount, entries.count)
        defer { listing.place = end }
        return entries[listing.place..<end].compactMap { entry in
            guard let entry, entry.beganAt <= listing.join else { return nil }
            return (name: entry.name, members: entry.members)
        }
    }
}

/// A walk over the channels of one relay key, in pieces between which everybody else has a turn.
///
/// A channel that is there all the time comes once, one that comes or goes meanwhile once at most.
package struct ChannelListing: Sendable {
    /// Places that one piece looks at, with the hub's lock held.
    static let pieceCount = 512

    let scope: Text
    /// The hub's count of joins when the walk began.
    let join: UInt64
    var place = 0
}
