import Compression
import EventLoops

/// What channels have for one loop, in the order in which it was put in.
///
/// Any thread puts in, the loop takes all at once: it is woken once for each batch.
final class LoopInbox: Sendable {
    /// A message, or the end of an audience (`message` nil).
    struct Delivery: Sendable {
        var audience: Audience
        var message: MessageFrame?
        var sequence: UInt64
        var reach = Reach.everybody(except: nil)
    }

    /// Whom a message is for.
    enum Reach: Sendable {
        case everybody(except: ConnectionID?)
        /// Those who have the list of members: nothing server-made goes to others (rulings 19).
        case presence
        /// The one in a seat, who begins with this list.
        case newcomer(seat: Int, ConnectionID)
    }

    private struct Queue {
        var deliveries: [Delivery] = []
        var bytes = 0
    }

    let loop: EventLoop
    private let limits: ChannelLimits
    private let queue = Guarded(Queue())
    private let deflater: LoopBound<MessageDeflater>

    init(loop: EventLoop, limits: ChannelLimits) {
        self.loop = loop
        self.limits = limits
        self.deflater = LoopBound(MessageDeflater(), on: loop)
    }

    func hasRoom(for message: MessageFrame) -> Bool {
        queue.withLock { queue in
            queue.deliveries.isEmpty
                || queue.deliveries.count < limits.waitingMessagesPerLoop
                    && queue.bytes + message.plain.count <= limits.waitingBytesPerLoop
        }
    }

    /// Takes the delivery whether or not there is room: publishers ask `hasRoom` first, under their
    /// channel's lock, so that the limit is passed by one message a thread at most.
    func put(_ delivery: Delivery) {
        let isFirst = queue.withLock { queue in
            queue.deliveries.append(delivery)
            queue.bytes += delivery.message?.plain.count ?? 0
            return queue.deliveries.count == 1
        }
        guard isFirst else { return }
        loop.execute { self.deliverAll() }
    }

    /// Loop only.
    private func deliverAll() {
        let batch = queue.withLock { queue in
            let batch = queue.deliveries
            queue.deliveries = []
            queue.bytes = 0
            return batch
        }
        for delivery in batch {
            guard let message = delivery.message else {
                delivery.audience.expel()
                continue
            }
            switch delivery.reach {
            case .everybody(let except):
                delivery.audience.deliver(
                    message,
                    sequence: delivery.sequence,
                    except: except,
                    by: deflater.value
                )
            case .presence:
                delivery.audience.announce(message)
            case .newcomer(let seat, let connection):
                delivery.audience.welcome(seat, connection, message)
            }
        }
    }
}
