#!/usr/bin/env python3
"""CPU per request of Hato's /healthz beside the C floor (floor.c), taken in turn in one run.

usage: healthz.py HATO [--rounds N] [--seconds S] [--connections C]

Both servers run one loop pinned to core 0, wrk runs on core 1. CPU is what the kernel accounts to
the server's threads (schedstat). Prints a line a round and the medians; needs wrk and gcc.
"""
import argparse, os, re, shutil, socket, statistics, subprocess, sys, tempfile, time

parser = argparse.ArgumentParser(usage=__doc__)
parser.add_argument('hato')
parser.add_argument('--rounds', type=int, default=7)
parser.add_argument('--seconds', type=int, default=2)
parser.add_argument('--connections', type=int, default=32)
options = parser.parse_args()
here = os.path.dirname(os.path.abspath(__file__))


def free_port():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


def wait_for(port):
    for _ in range(500):
        with socket.socket() as s:
            if s.connect_ex(('127.0.0.1', port)) == 0:
                return
        time.sleep(0.01)
    sys.exit(f'nothing listens on port {port}')


def cpu_seconds(pid):
    total = 0
    for task in os.listdir(f'/proc/{pid}/task'):
        total += int(open(f'/proc/{pid}/task/{task}/schedstat').read().split()[0])
    return total / 1e9


def measure(pid, port, path):
    before = cpu_seconds(pid)
    text = subprocess.run(
        ['taskset', '-c', '1', 'wrk', '-t1', f'-c{options.connections}', f'-d{options.seconds}s',
         '-H', 'User-Agent: floor/1.0', '-H', 'Accept: application/json', '-H', 'Accept-Encoding: gzip',
         f'http://127.0.0.1:{port}{path}'], check=True, capture_output=True, text=True).stdout
    used = cpu_seconds(pid) - before
    requests = int(re.search(r'(\d+) requests in', text).group(1))
    if 'Non-2xx' in text or 'Socket errors' in text:
        sys.exit('wrk saw errors:\n' + text)
    return used / requests * 1e6


work = tempfile.mkdtemp()
servers = []
try:
    floor = os.path.join(work, 'floor')
    subprocess.run(['gcc', '-O2', '-o', floor, os.path.join(here, 'floor.c')], check=True)
    ports = free_port(), free_port()
    servers.append(subprocess.Popen(['taskset', '-c', '0', floor, str(ports[0]), '200']))
    servers.append(subprocess.Popen(
        ['taskset', '-c', '0', options.hato, 'serve', '--data', os.path.join(work, 'data'),
         '--listen', f'127.0.0.1:{ports[1]}', '--loops', '1'], stdout=subprocess.DEVNULL))
    for port in ports:
        wait_for(port)
    rounds = []
    for number in range(options.rounds + 1):
        c = measure(servers[0].pid, ports[0], '/')
        hato = measure(servers[1].pid, ports[1], '/healthz')
        if number:  # the first warms up
            rounds.append((c, hato))
            print(f'round {number}: C {c:.3f} us, Hato {hato:.3f} us, ratio {hato / c:.3f}', flush=True)
    print(f'median: C {statistics.median(r[0] for r in rounds):.3f} us, '
          f'Hato {statistics.median(r[1] for r in rounds):.3f} us, '
          f'ratio {statistics.median(r[1] / r[0] for r in rounds):.3f}')
finally:
    for server in servers:
        server.terminate()
        server.wait()
    shutil.rmtree(work)
