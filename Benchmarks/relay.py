"""Fan-out of messages: Hato beside uWebSockets and nchan, each with one loop on core 0, the load on core 1."""
import json, os, resource, select, shutil, statistics, subprocess

from harness import Missing, cached_package, compile_tool, free_port, HERE, in_turn, median, nginx_command
from peers import RELAY_KEY, Hato

SERVER_CORE, LOAD_CORE = 0, 1
SOCKETIFY = 'socketify==0.0.31'
NCHAN = '/usr/lib/nginx/modules/ngx_nchan_module.so'
MEMBERS, IDLE = 1_000, 10_000
# nchan gathers no messages: with 64 in flight each costs it what one alone costs.
CASES = (('window', 1, '', ()), ('window', 64, '', ()), ('single', 64, ', a write each', ('nchan',)))
# Off is what they are when nobody sets them; said so that a run shows it.
LIMITS = ('--relay-connections', '0', '--relay-channels', '0', '--relay-messages', '0')
OPTIONS = ('--loops', '1')


class Relay:
    """A server that passes messages on, and the targets at which it does so."""

    def __init__(self, server, member, publisher):
        self.server, self.member, self.publisher = server, member, publisher


class Fanout:
    """The program `fanout`, connected: members of channels at one relay."""

    def __init__(self, bench, relay, members, channels=1, publisher=True):
        self.bench, self.relay = bench, relay
        self.process = subprocess.Popen(
            ['taskset', '-c', str(LOAD_CORE), compile_tool(bench.work, 'fanout'), str(relay.server.port), str(members),
             str(channels), relay.member, *([relay.publisher] if publisher else [])],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            self.joined = self.answer()
        except Missing:
            self.close()
            raise
        self.connections = self.joined['connections']

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise Missing(f'{self.relay.server.name}: {self.process.stderr.read().strip() or "the load ended"}')
        return json.loads(line)

    def begin(self, command):
        """Starts a run; `finish` waits for its end and looks at it."""
        self.relay.server.settle()
        self.cpu_before = self.relay.server.cpu_seconds()
        try:
            self.process.stdin.write(command + '\n')
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Missing(f'{self.relay.server.name}: {self.process.stderr.read().strip() or "the load ended"}')

    def ends_within(self, seconds):
        return bool(select.select([self.process.stdout], [], [], seconds)[0])

    def finish(self, what):
        """The figures; what was lost, disordered or wrong voids the whole run. CPU is the server's, a delivery."""
        result = self.answer()
        name = self.relay.server.name
        result['cpu_seconds'] = self.relay.server.cpu_seconds() - self.cpu_before
        bad = {key: result[key] for key in ('lost', 'disordered', 'wrong', 'closed') if result[key]}
        if bad or not result['deliveries']:
            self.bench.void(f'{name}, {what}: {result["deliveries"]} deliveries, '
                            + ', '.join(f'{count} {key}' for key, count in bad.items()))
        result['answers'] = result['deliveries']
        result['cpu_us'] = result['cpu_seconds'] / max(1, result['deliveries']) * 1e6
        result['rate'] = result['deliveries'] / result['seconds']
        self.bench.keep(name, what, self.connections, result)
        return result

    def run(self, what, command):
        self.begin(command)
        return self.finish(what)

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:  # the run was given up while messages were in flight
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()


def hato(bench, name):
    """Hato as a relay without limits; # in a member's target is the channel's number."""
    served = Hato(bench, name, options=OPTIONS, core=SERVER_CORE)
    served.setting('app', 'set', 'bench', *LIMITS)
    target = f'/v3/room-#?api_key={RELAY_KEY}'
    return Relay(served.server, target, target)


def uwebsockets(bench, name):
    port = free_port()
    python = os.path.join(cached_package(SOCKETIFY, 'python', '-c', 'import socketify'), 'python')
    command = [python, os.path.join(HERE, 'uws.py'), str(port)]
    return Relay(bench.start('uWebSockets', command, port, bench.folder(name), SERVER_CORE), '/member', '/publisher')


def nchan(bench, name):
    folder, port = bench.folder(name), free_port()
    channel = 'nchan_channel_id room; nchan_message_buffer_length 4096; nchan_message_timeout 60s;'
    command = nginx_command(folder, f"""nchan_shared_memory_size 256M;
  server {{
    listen 127.0.0.1:{port} backlog=4096;
    location = /member {{ nchan_subscriber websocket; nchan_subscriber_first_message newest; {channel} }}
    location = /publisher {{ nchan_publisher websocket; {channel} }}
  }}""", connections=IDLE + 1_000, module=NCHAN)
    return Relay(bench.start('nchan', command, port, folder, SERVER_CORE), '/member', '/publisher')


def nchan_version():
    """The package that the nginx of this machine loads."""
    done = subprocess.run(['dpkg-query', '-W', 'libnginx-mod-nchan'], capture_output=True, text=True)
    return ' '.join(done.stdout.split()) if done.returncode == 0 else 'no nchan'


PEERS = {'Hato': hato, 'uWebSockets': uwebsockets, 'nchan': nchan}


def require_machine(connections):
    """Two cores, and files for so many connections a process: servers inherit the limit."""
    if len(os.sched_getaffinity(0)) < 2:
        raise Missing('this part needs two cores')
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard != resource.RLIM_INFINITY and hard < connections + 100:
        raise Missing(f'this part needs {connections + 100} open files a process, {hard} are allowed')
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def part_relay(bench):
    """A message to 1,000 members, and 10,000 members that hear nothing: beside uWebSockets and nchan."""
    require_machine(IDLE)
    if not shutil.which('nginx') or not os.path.exists(NCHAN):
        raise Missing('this part needs nginx and nchan: apt-get install nginx-light libnginx-mod-nchan')
    bench.line('Hato is started with', 0, ' '.join(OPTIONS) + '; ' + ' '.join(LIMITS) + ' (off, the defaults)')
    bench.line('all publish by a WebSocket', 0, 'Hato: a member speaks; uWebSockets: one call of Python a message; '
               'nchan: answers each message')
    loads = {}
    try:
        for name, start in PEERS.items():
            loads[name] = Fanout(bench, start(bench, 'relay-' + name), MEMBERS)
            loads[name].run('warm up', 'window 1 0.2')
        results = {(verb, window): in_turn(bench, {
            name: lambda load=load: load.run(f'{window} in flight{note}', f'{verb} {window} {bench.options.seconds}')
            for name, load in loads.items() if name not in left_out}) for verb, window, note, left_out in CASES}
    finally:
        for load in loads.values():
            load.close()
    report(bench, results)
    for name, start in PEERS.items():
        figure = idle_bytes(bench, start(bench, 'idle-' + name))
        bars = (2048, '<= 2 KiB') if name == 'Hato' else ()
        bench.line(f'{name}: an idle member of {IDLE:,}', figure, f'{figure:,.0f} resident bytes', *bars)


def report(bench, results):
    """CPU seconds of the server for a million deliveries: the same figure as microseconds for one."""
    one = results['window', 1]
    for name in one:
        if name == 'Hato':
            continue
        ratio = statistics.median(a['cpu_us'] / b['cpu_us'] for a, b in zip(one['Hato'], one[name]))
        bench.line(f'1,000 members, 1 message in flight, beside {name}', ratio,
                   f'{median(one["Hato"]):.3f} : {median(one[name]):.3f} s a million = {ratio:.2f}',
                   *((1.2, '<= 1.2 x') if name == 'uWebSockets' else ()))
    for verb, window, note, _ in CASES[1:]:
        for name, rounds in results[verb, window].items():
            figure = median(rounds)
            bench.line(f'1,000 members, {window} messages in flight{note}, {name}', figure, f'{figure:.3f} s a million',
                       *((0.5, '<= 0.5 s') if name == 'Hato' and verb == 'window' else ()))


def idle_bytes(bench, relay):
    """Resident bytes for each of so many members that are connected and hear nothing."""
    # Code that runs for the first time is not what a member costs.
    first = Fanout(bench, relay, 50)
    first.run('warm up', 'window 1 0.1')
    first.close()
    relay.server.settle()
    before = relay.server.resident_mb()
    held = Fanout(bench, relay, IDLE)
    try:
        relay.server.settle()
        return (relay.server.resident_mb() - before) * 1024 * 1024 / held.connections
    finally:
        held.close()
        bench.stop(relay.server)
