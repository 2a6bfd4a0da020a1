#!/usr/bin/env python3
"""Shows that every acknowledged write was synced first: runs hato under strace, saves objects one
after the other, and looks in the trace for an fdatasync of the application's log between each
request's arrival and its answer.

usage: sync-order.py HATO [--writes N]          needs strace; exit 1 when an answer has no sync
"""
import argparse, http.client, json, os, re, shutil, socket, subprocess, sys, tempfile, time

parser = argparse.ArgumentParser(usage=__doc__)
parser.add_argument('hato')
parser.add_argument('--writes', type=int, default=50)
options = parser.parse_args()
work = tempfile.mkdtemp()
data, trace = os.path.join(work, 'data'), os.path.join(work, 'trace')
subprocess.run([options.hato, 'app', 'create', 'sync', '--application-key', 'sync', '--data', data],
               check=True, stdout=subprocess.DEVNULL)
with socket.socket() as s:
    s.bind(('127.0.0.1', 0))
    port = s.getsockname()[1]
tracer = subprocess.Popen(
    ['strace', '-f', '-qq', '-y', '-e', 'trace=fsync,fdatasync,sendto,writev,recvfrom', '-e', 'signal=none',
     '-o', trace, options.hato, 'serve', '--data', data, '--listen', f'127.0.0.1:{port}', '--log', 'off'],
    stdout=subprocess.DEVNULL)
try:
    for _ in range(500):
        with socket.socket() as s:
            if s.connect_ex(('127.0.0.1', port)) == 0:
                break
        time.sleep(0.01)
    connection = http.client.HTTPConnection('127.0.0.1', port, timeout=20)
    for number in range(options.writes):
        connection.request('POST', '/2013-09-01/classes/Sync', json.dumps({'n': number}),
                           {'X-NCMB-Application-Key': 'sync', 'Content-Type': 'application/json'})
        answer = connection.getresponse()
        answer.read()
        if answer.status != 201:
            sys.exit(f'write {number}: status {answer.status}')
finally:
    children = open(f'/proc/{tracer.pid}/task/{tracer.pid}/children').read().split()
    for child in children:
        os.kill(int(child), 15)
    tracer.wait()

answered = synced = 0
sync_seen = False
for line in open(trace):
    if re.search(r'recvfrom\(.*"POST /2013-09-01/classes/Sync', line):
        sync_seen = False
    elif re.search(r'fdatasync\(\d+<[^>]*objects\.db-wal>', line) or (
            'fdatasync resumed' in line and '= 0' in line):
        sync_seen = True
    elif re.search(r'(sendto|writev)\(.*HTTP/1\.1 201', line):
        answered += 1
        synced += sync_seen
shutil.rmtree(work)
print(f'{answered} answers 201, {synced} of them after a sync of the write-ahead log')
sys.exit(0 if answered == synced == options.writes else 1)
