// The frame: who is signed in, which pane is shown, the state of the connection.

import * as api from './api.js';
import { conversationList } from './list.js';
import { h, icon, later, menu, say, toast, tool } from './dom.js';
import { signIn } from './sign-in.js';
import { loadTexts, moreTexts, setLanguage, t } from './i18n.js';
import { begin, digestOf, end, fetchConversation, isMeant, model, nameOf, on, person, retryNow, titleOf } from './model.js';
import { conversationView } from './chat.js';
import { empty, personAvatar } from './parts.js';

const root = document.getElementById('app');
const sessionKey = 'teahouse.session';
/// Milliseconds in which the server says who is signed in, else it is taken for one that cannot be reached.
const patience = 15_000;
let app = null;

export const schemes = ['auto', 'light', 'dark'];
export const scheme = () => localStorage.getItem('teahouse.scheme') ?? 'auto';

export function setScheme(name) {
  localStorage.setItem('teahouse.scheme', name);
  if (name === 'auto') document.documentElement.removeAttribute('data-scheme');
  else document.documentElement.setAttribute('data-scheme', name);
  drawTheme();
}

const darkness = matchMedia('(prefers-color-scheme: dark)');
let isThemed = false;
/// The operator's colours, if there are any.
async function drawTheme() {
  const { 'theme.accent': accent, 'theme.avatar_shape': shape } = model.configuration;
  if (!accent && !shape && !isThemed) return;
  isThemed = true;
  (await import('./theme.js')).setTheme({ accent, shape }, scheme() === 'dark' || (scheme() === 'auto' && darkness.matches));
}
darkness.addEventListener('change', drawTheme);

export async function turn(code) {
  await setLanguage(code);
  if (app) { app.stop(); app = makeApp(); } else start();
}

function showSignIn(note) {
  app?.stop();
  app = null;
  end();
  api.setToken(null);
  localStorage.removeItem(sessionKey);
  if (isSecureContext) import('./secure.js').then(({ forget }) => forget(), () => {});
  signIn(root, { enter, turn, note });
}

async function enter({ token }, isSetup) {
  api.setToken(token);
  localStorage.setItem(sessionKey, token);
  if (invited()) history.replaceState(null, '', '/');
  await start();
  if (isSetup) (await import('./invite.js')).invite({ isFirst: true });
}

/// The code of the invitation that this page was opened with.
const invited = () => /^\/join\/([\w-]+)$/.exec(location.pathname)?.[1];

async function showInvitation(code) {
  const { join } = await import('./invite.js');
  join(root, code, { enter, turn, isSignedIn: Boolean(localStorage.getItem(sessionKey)), leave: () => { history.replaceState(null, '', '/'); start(); } });
}

export async function signOut() {
  try { await api.remove('session'); } catch (error) { if (error.isPassing) { toast(error.message); return; } }
  location.hash = '';
  showSignIn();
}

api.onSignedOut((problem) => showSignIn(problem.code === 'account_disabled' ? problem.message : t('signIn.signedOut')));

async function start() {
  if (invited()) { await showInvitation(invited()); return; }
  const token = localStorage.getItem(sessionKey);
  if (!token) { showSignIn(); return; }
  api.setToken(token);
  for (let wait = 1000; ; wait = Math.min(wait * 2, 15_000)) {
    try {
      let kept = null;
      const session = await api.get('session', { signal: AbortSignal.timeout(patience) }).catch(async (error) => {
        kept = error.isPassing && isSecureContext ? await (await import('./secure.js')).readKept() : null;
        if (!kept) throw error;
        return kept.session;
      });
      const ready = begin(session, kept);
      drawTheme();
      app = makeApp();
      await ready;
      return;
    } catch (error) {
      if (!api.getToken()) return; // the signIn is shown already
      root.replaceChildren(h('main', { class: 'signIn' }, h('div', { class: 'card' }, h('h1', {}, t('signIn.title')), h('div', { class: 'banner', role: 'status' }, error.message ?? String(error)),
        h('button', { class: 'button', onclick: () => location.reload() }, t('again')))));
      if (!error.isPassing) throw error;
      await new Promise((resolve) => setTimeout(resolve, error.retryAfter ?? wait));
    }
  }
}

function makeApp() {
  const stops = [];
  let view = null;
  const self = {
    current: null,
    /// Where one was when a search led away: `{id, sequence}`, `sequence` null for the newest message.
    returnTo: null,
    leaving() { self.returnTo ??= view && self.current ? { id: self.current, sequence: view.position() } : null; },
    async search(id) { toList(); (await finder()).within(id); },
    open(id, around) { const wanted = `#/c/${id}${around ? `/${around}` : ''}`; if (location.hash === wanted) route(); else location.hash = wanted; },
    close() { location.hash = '#/'; },
    focus() { view?.focus(); },
    newDirect: async () => (await import('./people.js')).newDirect(self),
    newConversation: async (event) => (await import('./people.js')).newConversation(self, event),
    stop() { for (const each of stops) each(); view?.stop(); },
  };
  const list = conversationList(self);
  const wireText = h('span', {});
  const wire = h('div', { class: 'wire', role: 'status', hidden: true }, wireText, h('button', { class: 'plain', onclick: retryNow }, t('wire.now')));
  const place = h('section', { class: 'chat', 'aria-label': t('chat') });
  const seek = h('div', { class: 'seek', role: 'search' });
  const filter = h('input', { class: 'input', type: 'search', placeholder: t('list.filter'), 'aria-label': t('list.filter'), oninput: () => filterSoon() });
  seek.append(icon('search'), filter);
  let panel = null;
  const finder = () => (panel ??= import('./search.js').then((module) => { const made = module.searchPanel(self, { filter, list }); stops.push(made.stop); return (panel.ready = made); }, (error) => { panel = null; throw error; }));
  const filterSoon = later(120, () => { list.filter(filter.value); finder().then((made) => made.draw(), () => {}); });
  filter.addEventListener('keydown', (event) => {
    const open = panel?.ready?.isOpen && panel.ready;
    if (event.key === 'ArrowDown' || (event.key === 'Enter' && open && !event.isComposing)) { event.preventDefault(); if (open) open.enter(); else list.enter(); }
    if (event.key === 'Escape' && open) { event.preventDefault(); event.stopPropagation(); open.end(); list.filter(''); }
  });
  const meButton = h('button', { class: 'tool', 'aria-haspopup': 'menu', 'aria-label': t('me.menu'), title: t('me.menu') });
  meButton.addEventListener('click', () => menu(meButton, [
    { icon: 'person', label: t('me.profile'), run: async () => (await import('./people.js')).ownProfile() },
    { icon: 'group', label: t('requests'), run: showRequests },
    model.isAdministrator && { icon: 'plus', label: t('invite'), run: async () => (await import('./invite.js')).invite() },
    { icon: 'info', label: t('notices'), run: async () => (await import('./notices.js')).showNotices() },
    !isSecureContext && { icon: 'save', label: t('secure.install'), run: async () => (await import('./secure.js')).showSecure() },
    { icon: 'gear', label: t('settings'), run: async () => (await import('./people.js')).settings() },
    'line', { icon: 'out', label: t('signOut'), run: signOut },
  ], t('me.menu')));
  const showRequests = async () => (await import('./card.js')).requests(self);
  const asks = h('button', { class: 'entry small-entry asks', hidden: true, onclick: showRequests });
  const drawAsks = () => {
    const { size } = model.requests;
    asks.hidden = !size;
    asks.replaceChildren(h('span', { class: 'sign' }, icon('group')), h('span', { class: 'title grow cut' }, t('requests')), h('span', { class: 'count' }, h('span', { 'aria-hidden': 'true' }, size > 99 ? '99+' : String(size)), h('span', { class: 'unseen' }, t('requests.count', { count: size }))));
  };
  const logo = h('span', { class: 'logo', hidden: true });
  const mark = model.configuration['theme.logo'];
  if (mark) api.content(mark.startsWith('/') ? mark : `/api/v1/files/${api.segment(mark)}`).then((url) => { logo.hidden = false; logo.append(h('img', { src: url, alt: '' })); }, () => {});
  const drawMe = () => { if (model.me) meButton.replaceChildren(personAvatar({ ...model.me, isOnline: false }, 's36')); };
  const bars = h('div', { class: 'bars' }, wire);
  /// One bar of a name above everything; `null` takes it away.
  const bar = (name, element) => { bars.querySelector(`:scope > [data-bar=${name}]`)?.remove(); if (element) { element.dataset.bar = name; bars.append(element); } };
  const frame = h('main', { class: 'app', 'data-pane': 'list' }, h('h1', { class: 'unseen' }, 'teahouse'), bars,
    h('div', { class: 'side' }, h('header', {}, meButton, logo, h('h2', { class: 'grow cut' }, t('list.title')), tool('plus', t('new'), (event) => self.newConversation(event), { 'aria-haspopup': 'menu' })), seek, asks, list.box, list.jump), place);

  const drawWire = () => {
    const seconds = Math.max(0, Math.ceil((model.retryAt - Date.now()) / 1000));
    wire.hidden = model.connection === 'online' || (model.connection === 'connecting' && !model.retryAt && !wireShown);
    wireShown = !wire.hidden;
    const text = model.connection === 'taken' ? t('wire.taken') : model.connection === 'offline' ? t('wire.offline', { seconds }) : t('wire.connecting');
    if (wireText.textContent !== text) wireText.textContent = text;
  };
  let wireShown = false;
  const tick = setInterval(() => { if (!wire.hidden) drawWire(); }, 1000);

  /// A narrow screen shows one of the two.
  const toList = () => { if (innerWidth <= 760 && self.current) { self.close(); route(); } };
  const route = () => {
    const [, kind, id, around] = location.hash.split('/');
    const wanted = kind === 'c' && /^\d+$/.test(id ?? '') ? id : null;
    frame.dataset.pane = wanted ? 'chat' : 'list';
    if (wanted && wanted === self.current && view) { if (around) view.jump(Number(around)); else { self.returnTo = null; view.toEnd(); } return; }
    view?.stop();
    view = null;
    self.current = wanted;
    if (!around) self.returnTo = null;
    list.draw();
    if (!wanted) { place.replaceChildren(empty('chat', t('chat.none'), t('chat.none.text'))); place.firstChild.style.margin = 'auto'; return; }
    view = conversationView(self, wanted, place, around ? Number(around) : null);
    if (!model.conversations.has(wanted)) fetchConversation(wanted).catch((error) => { if (error.status === 404 || error.status === 403) { toast(t('chat.notThere')); self.close(); } });
  };
  addEventListener('hashchange', route);
  const keys = (event) => {
    const isSlash = event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey && !event.target.closest?.('input, textarea, dialog, .menu');
    if (isSlash || (event.key === 'k' && (event.ctrlKey || event.metaKey))) { event.preventDefault(); toList(); filter.focus(); filter.select(); }
    if (event.key === 'Escape' && !event.defaultPrevented && !event.isComposing && self.current && !document.querySelector('dialog[open]') && innerWidth <= 760) self.close();
  };
  document.addEventListener('keydown', keys);
  const title = () => {
    const unread = [...model.conversations.values()].reduce((sum, each) => sum + (each.isMuted ? 0 : each.unread), 0);
    document.title = unread ? `(${unread > 99 ? '99+' : unread}) teahouse` : 'teahouse';
    secure?.unread(unread);
  };
  let secure = null;
  // What is not needed for the first screen comes after it.
  const timer = setTimeout(async () => {
    try {
      secure = await import('./secure.js');
      if (isSecureContext) {
        await secure.startKeeping();
        secure.keepSoon();
        stops.push(on('list', secure.keepSoon));
      }
      secure.registerWorker();
      title();
    } catch { /* a slow or broken network: the next load has it */ }
  }, 1500);
  const leave = () => { if (isSecureContext && document.visibilityState === 'hidden') secure?.keepNow(); };
  document.addEventListener('visibilitychange', leave);
  stops.push(() => { clearTimeout(timer); document.removeEventListener('visibilitychange', leave); });
  // They are read once; after that events tell of them.
  let areNoticesRead = false;
  const readNotices = async () => { try { areNoticesRead = await (await import('./notices.js')).watchNotices(bar, (count) => { meButton.dataset.count = count || ''; }); } catch { /* with the next connection */ } };
  if (model.connection === 'online') readNotices();
  stops.push(on('online', () => { if (!areNoticesRead) readNotices(); }), on('gap', readNotices));
  stops.push(on('connection', drawWire), on('person', drawMe), on('requests', drawAsks), on('list', title), list.stop,
    on('request', async (request) => { if (request.person.name === model.me.name && ['accepted', 'refused'].includes(request.state)) (await import('./card.js')).answered(self, request); }),
    on('arrived', (message, conversation) => {
      import('./secure.js').then((module) => module.arrived(message, conversation, bar), () => {});
      if (!conversation.isMuted || isMeant(message)) say(t('live.message', { who: nameOf(person(message.sender)), where: titleOf(conversation), text: digestOf(message).slice(0, 200) }));
    }),
    () => { clearInterval(tick); removeEventListener('hashchange', route); document.removeEventListener('keydown', keys); });
  root.replaceChildren(frame);
  drawMe();
  drawAsks();
  drawWire();
  route();
  return self;
}

// A newer server has other files: what was not loaded before is not there any more.
addEventListener('unhandledrejection', ({ reason }) => {
  if (/dynamically imported module|Importing a module/i.test(String(reason))) toast(t('problem.updated'), { label: t('reload'), run: () => location.reload() }, 30);
});

setScheme(scheme());
loadTexts().then(start).finally(() => setTimeout(() => { moreTexts().catch(() => {}); for (const name of ['people', 'select', 'card']) import(`./${name}.js`).catch(() => {}); }, 1500));
