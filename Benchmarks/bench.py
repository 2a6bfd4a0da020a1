#!/usr/bin/env python3
"""Hato beside its peers and beside floors in C, in one run and in turn: server CPU per request or delivery.

Every answer is looked at: a wrong status, a list short of its rows, a create that is not there
afterwards, or a message that is lost or out of order voids the run. Each line says figure, bar and
whether the bar is met. Exit code 0: everything was met; 1: something was not, or the run is void; 2:
something is missing on this machine.

Needs gcc, libsqlite3-dev and, for the parts `peers` and `relay`, pip, which fetches PocketBase and
socketify once; `tls` and `relay` need nginx, `relay` its module nchan. A whole run of all parts writes
RESULTS.md beside this file; a quick one and one of some parts only with --output.
"""
import argparse, datetime, json, os, shutil, signal, statistics, subprocess, sys, time
from harness import (HERE, POCKETBASE, Bench, Missing, compile_tool, free_port, in_turn, machine, median, nginx_command,
                     request)
from peers import API, KEY, Hato, PocketBase, chat, hato_list
import crowd, places, relay


def part_idle(bench):
    """Size, start, memory of the idle server."""
    root = os.path.dirname(HERE)
    done = subprocess.run([os.path.join(root, 'Scripts', 'measure'), bench.options.hato, str(free_port())],
                          capture_output=True, text=True)
    if done.returncode:
        raise Missing('Scripts/measure: ' + done.stderr.strip())
    for line in done.stdout.splitlines():
        bench.line(line[:22].strip(), 0, ' '.join(line[22:].split()))


def part_http(bench):
    """/healthz beside the least that an HTTP server can do; both one loop on core 0, the load on core 1."""
    if len(os.sched_getaffinity(0)) < 2:
        raise Missing('this part needs two cores')
    port = free_port()
    floor = bench.start('C floor', [compile_tool(bench.work, 'floor'), str(port), '200'], port,
                        bench.folder('floor-data'), core=0)
    hato = Hato(bench, 'http', options=['--loops', '1'], core=0)
    requests = {floor: bench.requests('floor', [request('GET', '/')]),
                hato.server: bench.requests('healthz', [request('GET', '/healthz')])}
    # `load` inherits the core.
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {1})
    try:
        rounds = in_turn(bench, {server: lambda server=server, path=path: bench.run_load(
            server, 'health', path, 32, bench.options.seconds) for server, path in requests.items()})
    finally:
        os.sched_setaffinity(0, allowed)
    ratios = [a['cpu_us'] / b['cpu_us'] for a, b in zip(rounds[hato.server], rounds[floor])]
    bench.line('/healthz beside the C floor', statistics.median(ratios),
               f'{median(rounds[hato.server]):.2f} : {median(rounds[floor]):.2f} us = {statistics.median(ratios):.2f}')
    bench.stop(floor, hato.server)


def part_tls(bench):
    """What TLS adds to a small answer, beside nginx's TLS; resident bytes of idle connections with and without."""
    if not shutil.which('nginx') or not shutil.which('openssl'):
        raise Missing('this part needs nginx and openssl: apt-get install nginx-light openssl')
    folder = bench.folder('tls-files')
    certificate, key = os.path.join(folder, 'tls.crt'), os.path.join(folder, 'tls.key')
    made = subprocess.run(['openssl', 'req', '-x509', '-nodes', '-batch', '-subj', '/CN=localhost', '-newkey', 'ec',
                           '-pkeyopt', 'ec_paramgen_curve:P-256', '-days', '2', '-keyout', key, '-out', certificate],
                          capture_output=True, text=True)
    if made.returncode:
        raise Missing('openssl: ' + made.stderr.strip())
    secure = free_port()
    # 10,000 handshakes may take longer than a client has for its first request.
    hato = Hato(bench, 'tls', core=0, options=[
        '--loops', '1', '--head-seconds', '600', '--idle-seconds', '600', '--tls-listen', f'127.0.0.1:{secure}',
        '--tls-certificate', certificate, '--tls-key', key])
    _, ids = hato.fill('Chat', [chat(number, 10) for number in range(1_000)], 1_000)
    answer = json.dumps(hato.ask('GET', 'classes/Chat/' + ids[0]), separators=(',', ':'))
    nginx_ports = free_port(), free_port()
    served = nginx_command(folder, f"""server {{
    listen 127.0.0.1:{nginx_ports[0]}; listen 127.0.0.1:{nginx_ports[1]} ssl;
    ssl_certificate {certificate}; ssl_certificate_key {key}; ssl_protocols TLSv1.2 TLSv1.3;
    location / {{ return 200 '{answer}'; }}
  }}""")
    nginx = bench.start('nginx', served, nginx_ports[0], bench.folder('nginx'), core=0)
    paths = {hato.server: bench.requests('tls-hato', hato.by_id(ids)),
             nginx: bench.requests('tls-nginx', [request('GET', '/', rows=1)])}
    cases = {(server, port): lambda server=server, port=port: bench.run_load(
        server, 'GET by id, TLS' if port else 'GET by id', paths[server], 32, bench.options.seconds, headers=KEY,
        marker='"objectId"', tls_port=port)
        for server, port in ((hato.server, None), (hato.server, secure), (nginx, None), (nginx, nginx_ports[1]))}
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {1} if len(allowed) > 1 else allowed)
    try:
        rounds = in_turn(bench, cases)
    finally:
        os.sched_setaffinity(0, allowed)

    def surcharge(server, port):
        return median(rounds[server, port]) - median(rounds[server, None])
    ours, theirs = surcharge(hato.server, secure), surcharge(nginx, nginx_ports[1])
    bench.line('what TLS adds to GET by id, beside nginx', ours / theirs if theirs > 0 else float('inf'),
               f'{ours:.2f} : {theirs:.2f} us', 1.3, '<= 1.3 x')
    for name, port in (('in the clear', None), ('by TLS', secure)):
        bench.line(f'an idle connection {name}', 0, f'{idle_bytes(bench, hato, port):,.0f} resident bytes')
    bench.stop(hato.server, nginx)


def idle_bytes(bench, hato, port, count=10_000):
    """Resident bytes of the server for each of so many kept connections that have had one answer."""
    path = bench.requests('idle', [request('GET', '/healthz')] * count)
    hato.server.settle()
    before = hato.server.resident_mb()
    held = subprocess.Popen(bench.load_command(hato.server, path, count, 'hold', tls_port=port), stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, text=True)
    try:
        result = json.loads(held.stdout.readline() or '{}')
        if result.get('answers') != count or result.get('wrong_status'):
            bench.void(f'{count} idle connections: {result}')
        return (hato.server.resident_mb() - before) * 1024 * 1024 / count
    finally:
        held.stdin.close()
        held.wait()


def part_peers(bench):
    """Beside PocketBase: the same rows, the same indexes."""
    rows, users = bench.options.rows, bench.options.rows // 100
    pocketbase = PocketBase(bench, rows, users)
    hato = filled(bench, 'peers', rows, users)
    check_lists(bench, hato, users)
    cases = [
        ('GET by id', 6, 32, hato.by_id(hato.ids), pocketbase.by_id(pocketbase.ids)),
        ('list 100 by an indexed field', 12, 32, hato.where(users, 'userId', 'u'), pocketbase.where(users, 'userId', 'u')),
        ('newest 50', 12, 32, hato.newest(), pocketbase.newest()),
        ('list 100 by a field without index', 1, 4, hato.where(users, 'displayName', 'd'),
         pocketbase.where(users, 'displayName', 'd')),
        ('create', 5, 32, hato.creates(users), pocketbase.creates(users)),
        ('create', None, 1, hato.creates(users), pocketbase.creates(users)),
        ('create', None, 256, hato.creates(users), pocketbase.creates(users)),
    ]
    created = {hato: 0, pocketbase: 0}
    for what, bar, connections, ours, theirs in cases:
        rounds = in_turn(bench, {hato: lambda: hato.load(what, ours, connections),
                                 pocketbase: lambda: pocketbase.load(what, theirs, connections)})
        bench.ratio_line(f'{what}, {connections} connections', rounds[hato], rounds[pocketbase], bar)
        if what == 'create':
            for server in created:
                created[server] += sum(result['answers'] for result in rounds[server])
    compare_count(bench, 'Hato', hato.count('Chat'), rows + created[hato])
    compare_count(bench, 'PocketBase', pocketbase.count(), rows + created[pocketbase])
    bench.line('resident afterwards', 0, f'{hato.server.resident_mb():.0f} : {pocketbase.server.resident_mb():.0f} MB')
    hato.stop()
    pocketbase.stop()


def part_rows(bench):
    """Creates beside rows in plain SQLite, in the same minute."""
    rows, users = bench.options.rows, bench.options.rows // 100
    floor = compile_tool(bench.work, 'rows', 'sqlite3')
    hato = filled(bench, 'rows', rows, users)

    def sqlite():
        hato.server.settle()
        done = subprocess.run([floor, os.path.join(bench.work, 'floor.db'), str(bench.options.seconds)],
                              capture_output=True, text=True)
        if done.returncode:
            raise Missing(done.stderr.strip())
        result = json.loads(done.stdout)
        result['rate'] = result['rows'] / result['seconds']
        bench.keep('SQLite in C', '64 rows a transaction, FULL', 0, result)
        return result

    creates = hato.creates(users)
    rounds = in_turn(bench, {0: sqlite, 32: lambda: hato.load('create', creates, 32),
                             256: lambda: hato.load('create', creates, 256)})
    for connections, bar in ((32, 0.25), (256, 0.35)):
        ratios = [a['rate'] / b['rate'] for a, b in zip(rounds[connections], rounds[0])]
        ratio = statistics.median(ratios)
        bench.line(f'creates beside SQLite in C, {connections} connections', ratio,
                   f'{median(rounds[connections], "rate"):.0f} : {median(rounds[0], "rate"):.0f} rows/s = {ratio:.2f}',
                   bar, f'>= {bar}', at_least=True)
    compare_count(bench, 'Hato', hato.count('Chat'),
                  rows + sum(result['answers'] for key in (32, 256) for result in rounds[key]))
    hato.stop()


def part_size(bench):
    """What 100 times as many rows change."""
    small_rows, large_rows = bench.options.small, bench.options.large
    created_rows = small_rows // 2
    large = filled(bench, 'large', large_rows, large_rows // 100)
    small_results, large_results, created = {}, {}, 0
    for number in range(bench.options.rounds):
        # The creates would make the small one grow: each round has a new one.
        small = filled(bench, f'small-{number}', small_rows, small_rows // 100)
        for hato, rows, results in ((large, large_rows, large_results), (small, small_rows, small_results)):
            users = rows // 100
            for what, lines in (('GET by id', hato.by_id(hato.ids)),
                                ('list 100 by an indexed field', hato.where(users, 'userId', 'u'))):
                results.setdefault(what, []).append(hato.load(f'{what}, {rows:,} rows', lines, 32))
            made, _ = hato.fill('Chat', (chat(i, users) for i in range(rows, rows + created_rows)), created_rows,
                                f'create, {rows:,} rows', 32, wants_ids=False)
            results.setdefault('create, 32 connections', []).append(made)
        compare_count(bench, 'Hato', small.count('Chat'), small_rows + created_rows)
        small.stop()
        created += created_rows
    compare_count(bench, 'Hato', large.count('Chat'), large_rows + created)
    for what in large_results:
        ratios = [a['cpu_us'] / b['cpu_us'] for a, b in zip(large_results[what], small_results[what])]
        bench.line(f'{what}: {large_rows:,} rows beside {small_rows:,}', statistics.median(ratios),
                   f'{median(large_results[what]):.1f} : {median(small_results[what]):.1f} us = '
                   f'{statistics.median(ratios):.2f}', 1.4, '<= 1.4')
    large.stop()


def part_readable(bench):
    """A user who may read 100 objects of many lists them."""
    rows = bench.options.large
    hato = Hato(bench, 'readable')
    user = hato.ask('POST', 'users', {'userName': 'reader', 'password': 'correct horse'})
    owners = [f'owner{number:011d}' for number in range(1_000)]
    step = rows // 100

    def letters():
        for number in range(rows):
            owner = user['objectId'] if number % step == step // 2 else owners[number % len(owners)]
            yield {'body': f'letter number {number:07d} lorem ipsum dolor sit amet', 'n': number,
                   'acl': {owner: {'read': True, 'write': True}}}

    hato.fill('Letter', letters(), rows, wants_ids=False)
    session = {'X-NCMB-Apps-Session-Token': user['sessionToken']}
    numbers = [letter['n'] for letter in hato.list('Letter?limit=100', session)]
    if sorted(numbers) != list(range(step // 2, rows, step)):
        bench.void('the reader does not see exactly the objects that are readable')
    if hato.list('Letter?limit=100'):
        bench.void('a stranger sees letters')
    results = [hato.load('list 100 readable', [request('GET', API + 'classes/Letter?limit=100', rows=100)], 4,
                         headers=session) for _ in range(bench.options.rounds)]
    figure = median(results) / 1000
    bench.line(f'a user lists the 100 of {rows:,} that he may read', figure, f'{figure:.3f} ms', 5, '<= 5 ms')
    hato.stop()


def part_selfmade(bench):
    """A list that is asked for again and again gets an index, while creates go on."""
    rows, users = bench.options.rows, bench.options.rows // 100
    hato = Hato(bench, 'selfmade', auto_index=True)
    hato.fill('Chat', (chat(number, users) for number in range(rows)), rows, wants_ids=False)
    bodies = [request('POST', API + 'classes/Chat', 201, body=dict(chat(number, users), displayName='new'))
              for number in range(20_000)]
    # In another class: the index is to be made for so many objects, not for these too.
    others = [line.replace('classes/Chat', 'classes/Other') for line in bodies]
    before = hato.load('create before', others, 32)
    hato.server.settle()
    target = hato_list('Chat', {'displayName': 'd7'}, 'limit=100')[len(API + 'classes/'):]

    def asked():
        began = time.monotonic()
        results = hato.list(target)
        if len(results) != 100 or any(result['displayName'] != 'd7' for result in results):
            bench.void(f'the list has {len(results)} rows')
        return time.monotonic() - began

    # The index must not be there before the clock runs: the server makes none until it is told to.
    hato.setting('app', 'set', 'bench', '--auto-index', 'off')
    unindexed = statistics.median(asked() for _ in range(20))
    hato.setting('app', 'set', 'bench', '--auto-index', 'on')
    began = time.monotonic()
    path = bench.requests('meanwhile', bodies)
    window = 10
    creating = subprocess.Popen(bench.load_command(hato.server, path, 32, window, headers=KEY),
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    # A list that is much faster than before, although it shares the cores with the creates, does not
    # scan. Asked twenty times at once, then rarely: a scan takes a core from the creates.
    for _ in range(20):
        asked()
    indexed_after = None
    while indexed_after is None and time.monotonic() - began < 60:
        passed = time.monotonic() - began
        if asked() < unindexed / 3:
            indexed_after = passed
        else:
            time.sleep(1)
    meanwhile = hato.bench.finish_load(hato.server, 'create meanwhile', creating)
    # The slices until the index was there, one second at least.
    slices = meanwhile['per_100_ms'][:max(10, round(min(indexed_after or window, window) * 10))]
    meanwhile['rate'] = sum(slices) / len(slices) * 10
    bench.keep('Hato', f'create, the first {len(slices) / 10:.1f} s', 32, meanwhile)
    bench.line('indexed after', indexed_after or 1e9, f'{indexed_after:.1f} s' if indexed_after else 'not in 60 s', 10, '<= 10 s')
    ratio = meanwhile['rate'] / before['rate']
    bench.line('creates meanwhile', ratio, f'{meanwhile["rate"]:.0f} : {before["rate"]:.0f} rows/s = {ratio:.2f}',
               0.7, '>= 0.7', at_least=True)
    lines = [request('GET', API + 'classes/' + target, rows=100)]
    rounds = in_turn(bench, {connections: lambda connections=connections: hato.load(
        'the same list, indexed', lines, connections) for connections in (32, 4)})
    # As all lists by an index here; with few connections each list wakes two threads, which costs as well.
    bench.line('the list of 100 afterwards, 32 connections', median(rounds[32]),
               f'{median(rounds[32]):.1f} us (before: {unindexed * 1e3:.1f} ms)', 150, '<= 150 us')
    bench.line('the same, 4 connections', 0, f'{median(rounds[4]):.1f} us')
    compare_count(bench, 'Hato', hato.count('Chat'), rows + meanwhile['answers'])
    compare_count(bench, 'Hato', hato.count('Other'), before['answers'])
    hato.stop()


def part_geo(bench):
    """100,000 places evenly over a square degree."""
    rows = bench.options.rows
    hato = Hato(bench, 'geo')
    hato.index('Place', 'location')
    spots = places.spread(rows)
    hato.fill('Place', ({'name': f'place {number}', 'n': number, 'location': places.point(*spot)}
                        for number, spot in enumerate(spots)), rows, wants_ids=False)
    grid = places.Grid(spots)
    for what, kilometres, limit, bar in (('the nearest 100 within 5 km', 5, 100, 2), ('all within 1 km', 1, 1000, 3)):
        lines, found = [], []
        for centre in places.centres(100):
            near = grid.within(centre, kilometres)
            if near is None:
                continue  # a place lies on the edge: rounding would decide
            found.append(min(limit, len(near)))
            where = {'location': {'$nearSphere': places.point(*centre), '$maxDistanceInKilometers': kilometres}}
            target = hato_list('Place', where, f'limit={limit}')
            lines.append(request('GET', target, rows=found[-1]))
            if len(lines) <= 5:
                numbers = [place['n'] for place in hato.list(target[len(API + 'classes/'):])]
                if numbers != [number for _, number in near[:limit]]:
                    bench.void(f'{what}: not the nearest places, or not in their order')
        results = [hato.load(what, lines, 4) for _ in range(bench.options.rounds)]
        figure = median(results) / 1000
        bench.line(f'{what} ({min(found)} to {max(found)} rows)', figure, f'{figure:.3f} ms', bar, f'<= {bar} ms')
    hato.stop()


PARTS = {name[5:]: function for name, function in list(globals().items()) if name.startswith('part_')}
PARTS |= {'relay': relay.part_relay, 'crowd': crowd.part_crowd}


def filled(bench, name, rows, users):
    """A Hato with the class Chat, its indexes, and so many rows."""
    hato = Hato(bench, name)
    hato.index('Chat', 'userId', 'n')
    _, hato.ids = hato.fill('Chat', (chat(number, users) for number in range(rows)), rows)
    compare_count(bench, 'Hato', hato.count('Chat'), rows)
    return hato


def compare_count(bench, who, found, wanted):
    if found != wanted:
        bench.void(f'{who} counts {found} objects, {wanted} were created')


def check_lists(bench, hato, users):
    """The lists hold what was asked for, not only as many rows."""
    for field, letter in (('userId', 'u'), ('displayName', 'd')):
        results = hato.list(hato_list('Chat', {field: f'{letter}{users // 2}'}, 'limit=100')[len(API + 'classes/'):])
        if sorted(result['n'] for result in results) != list(range(users // 2, bench.options.rows, users)):
            bench.void(f'the list by {field} does not hold the rows that were asked for')
    newest = [result['n'] for result in hato.list('Chat?limit=50&order=-n')]
    if newest != list(range(bench.options.rows - 1, bench.options.rows - 51, -1)):
        bench.void('the newest 50 are others')


def commit():
    def git(*arguments):
        done = subprocess.run(['git', '-C', HERE, *arguments], capture_output=True, text=True)
        return done.stdout.strip() if done.returncode == 0 else ''
    changed = ' with changes' if git('status', '--porcelain', '--untracked-files=no') else ''
    return (git('rev-parse', '--short=12', 'HEAD') or 'unknown') + changed


def write_results(bench, path, facts):
    verdicts = {None: '', True: 'met', False: '**NOT met**'}
    with open(path, 'w') as file:
        file.write('# Results\n\nWritten by `make bench`; what the parts do is in [README.md](README.md).\n\n')
        file.writelines(f'- {name}: {value}\n' for name, value in facts)
        file.write('\n| part | what | figure | bar | |\n|---|---|---|---|---|\n')
        for part, what, shown, bar, met in bench.lines:
            file.write(f'| {part} | {what} | {shown} | {bar} | {verdicts[met]} |\n')
        if bench.voids:
            file.write('\n**The run is void:**\n\n' + ''.join(f'- {why}\n' for why in bench.voids))
        file.write('\n## Raw figures\n\nIn the order in which they were taken. CPU is that of the server, a request or, of relays, a delivery.\n\n'
                   '| part | who | what | connections | answers | CPU us | a second | p50 us | p99 us |\n'
                   '|---|---|---|---|---|---|---|---|---|\n')
        for part, who, what, connections, result in bench.raw:
            cpu = f'{result["cpu_us"]:.2f}' if 'cpu_us' in result else ''
            file.write(f'| {part} | {who} | {what} | {connections or ""} | {result.get("answers", result.get("rows"))} '
                       f'| {cpu} | {result["rate"]:.0f} | {result.get("p50_us", "")} | {result.get("p99_us", "")} |\n')


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('parts', nargs='*', metavar='part', help=f'{", ".join(PARTS)}; all when none is named')
    parser.add_argument('--hato', default=os.path.join(os.path.dirname(HERE), '.build', 'hato'), help='the release binary')
    parser.add_argument('--rows', type=int, default=100_000, help='objects in a class (a multiple of 100)')
    parser.add_argument('--small', type=int, default=10_000, help='objects in the small class of the part size')
    parser.add_argument('--large', type=int, help='objects in the large classes (1,000,000; quick: 100,000)')
    parser.add_argument('--rounds', type=int, help='how often all are measured in turn (3; quick: 2)')
    parser.add_argument('--seconds', type=float, help='of each measurement (3; quick: 1)')
    parser.add_argument('--crowd-seconds', type=float, help='for which the part crowd holds its connections (300; quick: 10)')
    parser.add_argument('--quick', action='store_true', help='a short run, for figures to look at')
    parser.add_argument('--output', help='where the results are written')
    parser.add_argument('--work', default=os.path.join(os.path.dirname(HERE), '.build', 'bench'),
                        help='a folder for data, on the disk that is to be measured; emptied')
    options = parser.parse_args()
    unknown = [part for part in options.parts if part not in PARTS]
    if unknown:
        parser.error(f'no part is called {", ".join(unknown)}')
    usual = {'large': 100_000, 'rounds': 2, 'seconds': 1, 'crowd_seconds': 10} if options.quick else {
        'large': 1_000_000, 'rounds': 3, 'seconds': 3, 'crowd_seconds': 300}
    for name, value in usual.items():
        if getattr(options, name) is None:
            setattr(options, name, value)
    if min(options.rows, options.small, options.large) < 1_000 or options.rounds < 1 or options.crowd_seconds < 1:
        parser.error('at least 1,000 rows, one round and a second')
    if not options.parts and not options.quick:
        options.output = options.output or os.path.join(HERE, 'RESULTS.md')
    return options


def main():
    options = read_options()
    if not os.access(options.hato, os.X_OK):
        raise Missing(f'no binary at {options.hato}: run `make build`')
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    bench = Bench(options)
    began = time.monotonic()
    facts = [('machine', machine()), ('date', datetime.datetime.now(datetime.timezone.utc).strftime('%Y-%m-%d %H:%M UTC')),
             ('commit', commit()), ('beside', f'{POCKETBASE}, {relay.SOCKETIFY}, {relay.nchan_version()}'.replace('==', ' ')),
             ('rounds', f'{options.rounds} of {options.seconds:g} s; {options.rows:,} rows, small '
                                    f'{options.small:,}, large {options.large:,}'),
             ('load average at the start', ' '.join(f'{load:.2f}' for load in os.getloadavg()))]
    for name, value in facts:
        print(f'{name}: {value}')
    try:
        for name in options.parts or PARTS:
            bench.part = name
            print(f'\n== {name}: {PARTS[name].__doc__}', flush=True)
            try:
                PARTS[name](bench)
            except Missing as missing:
                bench.void(str(missing))
            bench.stop(*list(bench.servers))
    finally:
        bench.close()
    facts.append(('took', f'{(time.monotonic() - began) / 60:.1f} minutes'))
    if options.output:
        write_results(bench, options.output, facts)
    unmet = [f'{part}: {what}' for part, what, _, _, met in bench.lines if met is False]
    print(f'\n{sum(line[4] is True for line in bench.lines)} met, {len(unmet)} NOT met, {len(bench.voids)} times void, '
          f'{(time.monotonic() - began) / 60:.1f} minutes')
    for reason in unmet + bench.voids:
        print('  ' + reason)
    return 1 if unmet or bench.voids else 0


if __name__ == '__main__':
    try:
        sys.exit(main())
    except Missing as missing:
        print(f'bench.py: {missing}', file=sys.stderr)
        sys.exit(2)
