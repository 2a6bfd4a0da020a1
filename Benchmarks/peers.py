"""Hato and PocketBase, started on a folder of their own and filled with the same rows."""
import json, os, random, sqlite3, string, subprocess, urllib.parse
from harness import POCKETBASE, Missing, cached_package, free_port, request

KEY = {'X-NCMB-Application-Key': 'bench-application-key'}
API = '/2013-09-01/'
RELAY_KEY, RELAY_SECRET = 'bench-relay-key', 'bench-relay-secret'


def chat(number, users):
    """The chat object with that number; each of so many users has an equal share of them."""
    return {'body': f'message number {number:07d} lorem ipsum dolor sit amet consectetur adipiscing elit sed do',
            'userId': f'u{number % users}', 'displayName': f'd{number % users}', 'n': number}


class Hato:
    """A server with the application `bench`."""

    marker = '"objectId"'

    def __init__(self, bench, name='hato', auto_index=False, options=(), core=None):
        self.bench, self.name = bench, name
        self.binary = os.path.abspath(bench.options.hato)
        self.data = bench.folder(name)
        self.command('app', 'create', 'bench', '--application-key', KEY['X-NCMB-Application-Key'], '--client-key', 'c',
                     '--relay-key', RELAY_KEY, '--relay-secret', RELAY_SECRET)
        self.setting('app', 'set', 'bench', '--auto-index', 'on' if auto_index else 'off')
        port = free_port()
        self.server = bench.start('Hato', [self.binary, 'serve', '--data', self.data, '--listen', f'127.0.0.1:{port}',
                                           '--log', 'off', *options], port, self.data, core)

    def stop(self):
        self.bench.stop(self.server)

    def command(self, *arguments):
        done = subprocess.run([self.binary, *arguments, '--data', self.data], capture_output=True, text=True)
        if done.returncode:
            raise Missing(f'hato {" ".join(arguments)}: {(done.stderr or done.stdout).strip()[:300]}')

    def setting(self, *arguments):
        """A setting without which the figures are not those that were asked for."""
        try:
            self.command(*arguments)
        except Missing as missing:
            self.bench.void(str(missing).splitlines()[0])

    def index(self, class_name, *fields):
        self.setting('class', 'set', class_name, *(part for field in fields for part in ('--index', field)))

    def ask(self, method, target, body=None, headers=None):
        return self.server.ask(method, API + target, body, {**KEY, **(headers or {})})

    def list(self, target, headers=None):
        return self.ask('GET', 'classes/' + target, headers=headers)['results']

    def count(self, class_name):
        return self.ask('GET', f'classes/{class_name}?count=1&limit=0')['count']

    def fill(self, class_name, bodies, expected, what='fill', connections=128, wants_ids=True):
        """Creates an object for each body and returns the figures and their ids."""
        target = API + 'classes/' + class_name
        path = self.bench.requests(self.name + '.fill', (request('POST', target, 201, body=body) for body in bodies))
        answers = os.path.join(self.bench.work, self.name + '.answers') if wants_ids else None
        result = self.bench.run_load(self.server, what, path, connections, 0, headers=KEY, answers=answers)
        os.remove(path)
        if result['answers'] != expected:
            self.bench.void(f'{what}: {result["answers"]} answers instead of {expected}')
        ids = []
        if answers:
            with open(answers) as file:
                ids = [json.loads(line)['objectId'] for line in file if '"objectId"' in line]
            os.remove(answers)
        return result, ids

    def load(self, what, lines, connections, seconds=None, headers=None):
        path = self.bench.requests(self.name, lines)
        return self.bench.run_load(self.server, what, path, connections, seconds or self.bench.options.seconds,
                                   headers={**KEY, **(headers or {})}, marker=self.marker)

    # The requests of the comparison; `users` as in `chat`.

    def by_id(self, ids):
        chosen = random.Random(7).sample(ids, min(100_000, len(ids)))
        return [request('GET', f'{API}classes/Chat/{id}', rows=1) for id in chosen]

    def where(self, users, field, letter):
        return [request('GET', hato_list('Chat', {field: f'{letter}{user}'}, 'limit=100'), rows=100)
                for user in shuffled(users)]

    def newest(self):
        return [request('GET', API + 'classes/Chat?limit=50&order=-n', rows=50)]

    def creates(self, users):
        return [request('POST', API + 'classes/Chat', 201, body=chat(number, users)) for number in shuffled(20_000)]


class PocketBase:
    """A server with the collection Chat, its log off."""

    marker = '"collectionName"'
    records = '/api/collections/Chat/records'
    login = ('bench@example.com', 'bench-password')

    def __init__(self, bench, rows, users):
        self.bench, self.name = bench, 'pocketbase'
        self.binary = os.path.join(cached_package(POCKETBASE, 'pocketbase', '--version'), 'pocketbase')
        self.data = bench.folder('pocketbase')
        subprocess.run([self.binary, 'superuser', 'upsert', *self.login, '--dir', self.data], check=True,
                       stdout=subprocess.DEVNULL)
        self.serve()
        self.server.ask('POST', '/api/collections', {
            'name': 'Chat', 'type': 'base',
            **{rule: '' for rule in ('listRule', 'viewRule', 'createRule', 'updateRule', 'deleteRule')},
            'fields': [{'name': 'body', 'type': 'text', 'max': 5000}, {'name': 'userId', 'type': 'text'},
                       {'name': 'displayName', 'type': 'text'}, {'name': 'n', 'type': 'number'},
                       {'name': 'created', 'type': 'autodate', 'onCreate': True},
                       {'name': 'updated', 'type': 'autodate', 'onCreate': True, 'onUpdate': True}],
            'indexes': ['CREATE INDEX chat_user ON Chat (userId)', 'CREATE INDEX chat_n ON Chat (n)']}, self.token())
        self.stop()
        self.ids = self.insert(rows, users)
        self.serve()
        self.server.ask('PATCH', '/api/settings', {'logs': {'maxDays': 0, 'minLevel': 0}}, self.token())

    def serve(self):
        port = free_port()
        self.server = self.bench.start(
            'PocketBase', [self.binary, 'serve', '--http', f'127.0.0.1:{port}', '--dir', self.data, '--publicDir',
                           os.path.join(self.data, 'public'), '--automigrate=false'], port, self.data)

    def stop(self):
        self.bench.stop(self.server)

    def token(self):
        identity, password = self.login
        return {'Authorization': self.server.ask('POST', '/api/collections/_superusers/auth-with-password',
                                                 {'identity': identity, 'password': password})['token']}

    def insert(self, rows, users):
        """Fills the stopped server's file: over HTTP it would take half a minute for 100,000."""
        chance = random.Random(7)
        letters = string.ascii_lowercase + string.digits
        ids = [''.join(chance.choices(letters, k=15)) for _ in range(rows)]
        database = sqlite3.connect(os.path.join(self.data, 'data.db'))
        date = '2026-01-01 00:00:00.000Z'
        objects = (chat(number, users) for number in range(rows))
        database.executemany(
            'INSERT INTO Chat(id, body, userId, displayName, n, created, updated) VALUES(?, ?, ?, ?, ?, ?, ?)',
            ((id, o['body'], o['userId'], o['displayName'], o['n'], date, date) for id, o in zip(ids, objects)))
        database.commit()
        database.close()
        return ids

    def count(self):
        return self.server.ask('GET', self.records + '?perPage=1')['totalItems']

    def load(self, what, lines, connections, seconds=None):
        path = self.bench.requests(self.name, lines)
        return self.bench.run_load(self.server, what, path, connections, seconds or self.bench.options.seconds,
                                   marker=self.marker)

    def by_id(self, ids):
        chosen = random.Random(7).sample(ids, min(100_000, len(ids)))
        return [request('GET', f'{self.records}/{id}', rows=1) for id in chosen]

    def where(self, users, field, letter):
        return [request('GET', f"{self.records}?skipTotal=1&perPage=100&filter=({field}='{letter}{user}')", rows=100)
                for user in shuffled(users)]

    def newest(self):
        return [request('GET', self.records + '?skipTotal=1&perPage=50&sort=-n', rows=50)]

    def creates(self, users):
        return [request('POST', self.records, 200, body=chat(number, users)) for number in shuffled(20_000)]


def hato_list(class_name, where, *parameters):
    """The target of a list, percent-encoded as the SDKs do."""
    text = urllib.parse.quote(json.dumps(where, separators=(',', ':')), safe='')
    return API + f'classes/{class_name}?' + '&'.join([f'where={text}', *parameters])


def shuffled(count):
    numbers = list(range(count))
    random.Random(7).shuffle(numbers)
    return numbers
