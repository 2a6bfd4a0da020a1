'use strict';
// The chat of the demo application: anonymous sign-in and objects over REST, what others save and who
// is there over the relay. What others write goes into the page as text only.
(() => {
  const texts = {
    en: {
      switchTo: '日本語', closedTitle: 'Hato is running', entryTitle: 'Come in', nameLabel: 'Your name', enter: 'Enter',
      bodyLabel: 'Message', send: 'Send', present: 'Here now', about: 'A page of this server, for trying it. Everybody can read what is written here.',
      noDemo: 'This page becomes a chat when an application is marked as the demo:',
      signature: 'The demo application requires signed requests, which a page cannot make without its secret key.',
      anonymous: 'The demo application does not allow anonymous sign-in.',
      relay: 'The demo application guards all channels by tokens, which anonymous visitors do not get.',
      connecting: 'connecting …', live: 'live', waiting: 'not connected, trying again …', refused: 'the relay refused: ',
      failed: 'That did not work: ', offline: 'the server cannot be reached', loading: 'loading …',
    },
    ja: {
      switchTo: 'English', closedTitle: 'Hato は動いています', entryTitle: '参加する', nameLabel: 'お名前', enter: '入室',
      bodyLabel: 'メッセージ', send: '送信', present: '参加中', about: 'このサーバーを試すためのページです。ここに書いたことは誰でも読めます。',
      noDemo: 'アプリケーションをデモに指定すると、このページがチャットになります:',
      signature: 'デモのアプリケーションは署名を必須にしています。ページは秘密鍵なしでは署名できません。',
      anonymous: 'デモのアプリケーションは匿名ログインを許可していません。',
      relay: 'デモのアプリケーションはすべてのチャンネルをトークンで守っています。匿名の参加者はトークンを取得できません。',
      connecting: '接続中 …', live: '接続しました', waiting: '切断されました。再接続します …', refused: '中継サーバーが拒否しました: ',
      failed: 'できませんでした: ', offline: 'サーバーに接続できません', loading: '読み込み中 …',
    },
  };
  const api = '/2013-09-01/';
  const shown = 200;
  const find = (id) => document.getElementById(id);
  const main = ['closed', 'entry', 'chat'];

  let language = (localStorage.getItem('hato.language') || navigator.language || 'en').startsWith('ja') ? 'ja' : 'en';
  let demo, session, socket, stateName = '', stateDetail = '', attempts = 0, closedReason = '';
  const messages = new Map();

  const say = (key) => texts[language][key] || '';

  function speak() {
    document.documentElement.lang = language;
    for (const element of document.querySelectorAll('[data-text]')) element.textContent = say(element.dataset.text);
    find('language').textContent = say('switchTo');
    find('closedReason').textContent = say(closedReason);
    find('state').textContent = say(stateName) + stateDetail;
    for (const message of messages.values()) message.time.textContent = clock(message.createDate);
  }

  function state(name, detail = '') {
    stateName = name;
    stateDetail = detail;
    find('state').textContent = say(name) + detail;
  }

  function show(id) {
    for (const other of main) find(other).hidden = other !== id;
  }

  function clock(date) {
    return new Date(date).toLocaleTimeString(language, { hour: '2-digit', minute: '2-digit' });
  }

  // crypto.randomUUID is there on secure pages only.
  function uuid() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
  }

  // This page as a member: the same for all its sockets.
  const memberID = uuid();

  // REST

  class Refusal extends Error {
    constructor(status, code, text) {
      super(text);
      this.status = status;
      this.code = code;
    }
  }

  async function ask(method, target, body, isRetry, isSignIn) {
    const headers = { 'X-NCMB-Application-Key': demo.applicationKey };
    if (session && !isSignIn) headers['X-NCMB-Apps-Session-Token'] = session.sessionToken;
    if (body) headers['Content-Type'] = 'application/json';
    let answer;
    try {
      answer = await fetch(api + target, { method, headers, body: body && JSON.stringify(body), credentials: 'omit', cache: 'no-store' });
    } catch {
      throw new Refusal(0, '', say('offline'));
    }
    const json = await answer.json().catch(() => ({}));
    if (answer.ok) return json;
    if (answer.status === 401 && session && !isRetry) {
      await signIn(session.displayName);
      return ask(method, target, body, true);
    }
    throw new Refusal(answer.status, json.code, json.error || String(answer.status));
  }

  async function signIn(displayName) {
    const key = 'hato.anonymous.' + demo.applicationKey;
    let id = localStorage.getItem(key);
    if (!id) {
      id = uuid();
      localStorage.setItem(key, id);
    }
    // The old session stays until the new one is there: what comes meanwhile is shown by it.
    const user = await ask('POST', 'users', { authData: { anonymous: { id } } }, true, true);
    session = { objectId: user.objectId, sessionToken: user.sessionToken, displayName };
    if (user.displayName !== displayName) await ask('PUT', 'users/' + user.objectId, { displayName }, true);
  }

  // Messages

  function isOlder(a, b) {
    return a.createDate < b.createDate || (a.createDate === b.createDate && a.objectId < b.objectId);
  }

  function add(object, isPending) {
    if (typeof object.objectId !== 'string' || typeof object.body !== 'string' || messages.has(object.objectId)) return;
    const list = find('messages');
    const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
    const line = document.createElement('li');
    const who = document.createElement('span');
    const time = document.createElement('time');
    who.className = 'who';
    who.append(typeof object.displayName === 'string' ? object.displayName : '?', ' ', time);
    time.textContent = clock(object.createDate);
    line.append(who, object.body);
    line.classList.toggle('own', object.userId === session.objectId);
    line.classList.toggle('pending', isPending === true);
    const message = { objectId: object.objectId, createDate: object.createDate, line, time };
    // What comes is nearly always the newest: looked for from the end.
    const all = Array.from(messages.values());
    let place = all.length;
    while (place > 0 && isOlder(message, all[place - 1])) place -= 1;
    list.insertBefore(line, place < all.length ? all[place].line : null);
    all.splice(place, 0, message);
    for (const old of all.splice(0, Math.max(0, all.length - shown))) old.line.remove();
    messages.clear();
    for (const each of all) messages.set(each.objectId, each);
    if (atEnd || object.userId === session.objectId) list.scrollTop = list.scrollHeight;
  }

  async function load() {
    const page = await ask('GET', 'classes/Chat?order=-createDate&limit=50');
    for (const object of page.results.reverse()) add(object);
  }

  // Anybody can send what looks like a saved object: the page believes the server alone.
  async function take(objectId) {
    if (messages.has(objectId)) return;
    try {
      add(await ask('GET', 'classes/Chat/' + objectId));
    } catch {
      // Gone, or never there; what is missed comes with the next list.
    }
  }

  async function send(body) {
    const acl = { '*': { read: true }, [session.objectId]: { read: true, write: true } };
    const object = { body, userId: session.objectId, displayName: session.displayName, acl };
    const saved = await ask('POST', 'classes/Chat', object);
    add({ ...object, ...saved });
  }

  // The relay

  function listen() {
    const parameters = { api_key: demo.relayKey, presence: '1', user: session.displayName, uuid: memberID };
    // Not URLSearchParams: to the relay a plus is a plus.
    const query = Object.entries(parameters).map(([name, value]) => name + '=' + encodeURIComponent(value)).join('&');
    const address = (location.protocol === 'https:' ? 'wss://' : 'ws://') + location.host + '/v3/Chat?' + query;
    let complaint = '';
    state('connecting');
    socket = new WebSocket(address);
    socket.onopen = () => {
      attempts = 0;
      state('live');
      // What was saved while nobody listened here.
      load().catch((error) => { find('sendError').textContent = say('failed') + error.message; });
    };
    socket.onmessage = (event) => {
      let message;
      try {
        message = JSON.parse(event.data);
      } catch {
        return;
      }
      if (message === null || typeof message !== 'object') return;
      if (typeof message.error === 'string' && message.error) {
        complaint = message.error;
      } else if (typeof message.event === 'string' && message.event.startsWith('system:member_')) {
        members(message.data && message.data.members);
      } else if (typeof message.objectId === 'string' && /^[0-9A-Za-z]{1,64}$/.test(message.objectId)) {
        take(message.objectId);
      }
    };
    socket.onclose = (event) => {
      members([]);
      // Anybody can send a message that looks like a refusal, but not close this socket with its code.
      if (complaint && (event.code === 1008 || event.code === 1013)) {
        state('refused', complaint);
        return;
      }
      attempts += 1;
      state('waiting');
      const longest = Math.min(30, 2 ** attempts);
      setTimeout(listen, 500 + Math.random() * longest * 1000);
    };
  }

  function members(all) {
    if (!Array.isArray(all)) return;
    find('count').textContent = all.length ? String(all.length) : '';
    find('members').replaceChildren(...all.map((member) => {
      const line = document.createElement('li');
      line.textContent = String(member.user);
      return line;
    }));
  }

  // The page

  function close(reason, command) {
    closedReason = reason;
    find('closedReason').textContent = say(reason);
    find('closedCommand').textContent = command;
    show('closed');
  }

  function submit(form, field, errors, act) {
    find(form).addEventListener('submit', async (event) => {
      event.preventDefault();
      const text = find(field).value.trim();
      const button = find(form).querySelector('button');
      if (!text || button.disabled) return;
      button.disabled = true;
      find(errors).textContent = '';
      try {
        await act(text);
      } catch (error) {
        find(errors).textContent = say('failed') + error.message;
      }
      button.disabled = false;
    });
  }

  async function begin() {
    speak();
    find('language').addEventListener('click', () => {
      language = language === 'ja' ? 'en' : 'ja';
      localStorage.setItem('hato.language', language);
      speak();
    });
    submit('entryForm', 'name', 'entryError', async (name) => {
      await signIn(name);
      localStorage.setItem('hato.name', name);
      show('chat');
      listen();
      find('body').focus();
    });
    submit('sendForm', 'body', 'sendError', async (body) => {
      await send(body);
      find('body').value = '';
      find('body').focus();
    });
    let page;
    try {
      page = await (await fetch('/page.json', { cache: 'no-store' })).json();
    } catch {
      state('offline');
      return;
    }
    demo = page.demo;
    if (!demo) {
      const set = 'hato app set ' + (page.name || 'NAME');
      const mends = { signature: ' --require-signature off', anonymous: ' --anonymous on', relay: ' --relay-auth private' };
      close(page.reason, set + (mends[page.reason] || ' --demo on'));
      return;
    }
    find('name').value = localStorage.getItem('hato.name') || '';
    show('entry');
    find('name').focus();
  }

  begin();
})();
