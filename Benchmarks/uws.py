"""The peer uWebSockets: its C++ core by the package socketify, one topic. What comes on /publisher goes to every /member.

usage: uws.py PORT. Python runs once a published message; the fan-out is the core's.
"""
import sys

from socketify import App, CompressOptions

TOPIC = 'room'
app = App()
limits = {'compression': CompressOptions.DISABLED, 'idle_timeout': 0, 'max_payload_length': 1 << 20,
          'max_backpressure': 4 << 20}
app.ws('/member', {**limits, 'open': lambda socket: socket.subscribe(TOPIC), 'message': lambda *_: None})
app.ws('/publisher', {**limits, 'open': lambda socket: None,
                      'message': lambda socket, message, opcode: app.publish(TOPIC, message, opcode)})
app.listen({'host': '127.0.0.1', 'port': int(sys.argv[1])}, lambda _: None)
# `app.run()` would also turn asyncio's loop, which polls and would be counted.
app.loop.uv_loop.run()
