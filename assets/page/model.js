// What the page knows: people, conversations, messages, and what waits to be sent. Views listen to topics:
// 'list', 'conversation:ID', 'messages:ID', 'typing:ID', 'person', 'connection'; values come with 'arrived' and 'request'.

import * as api from './api.js';
import { Feed } from './feed.js';
import { t } from './i18n.js';

export const model = {
  me: null, notices: [], isAdministrator: false, requests: new Set(), limits: {}, configuration: {}, configurations: new Map(), connection: 'connecting', retryAt: 0,
  conversations: new Map(), isListLoaded: false, isListWhole: false, people: new Map(), runs: new Map(), typing: new Map(),
  /// By conversation: who alerts where one wants to hear of managers only, as far as it was asked.
  alerts: new Map(),
};
let feed = null;

// MARK: who listens

const listeners = new Map();
const dirty = new Set();

export function on(topic, run) {
  if (!listeners.has(topic)) listeners.set(topic, new Set());
  listeners.get(topic).add(run);
  return () => listeners.get(topic)?.delete(run);
}

function tell(topic, ...values) { for (const run of [...(listeners.get(topic) ?? [])]) run(...values); }

export function changed(topic) {
  if (!dirty.size) queueMicrotask(() => {
    const topics = [...dirty];
    dirty.clear();
    for (const each of topics) tell(each);
  });
  dirty.add(topic);
}

// MARK: people

const asked = new Set();

/// The person as known now; who is not known yet is asked for, and 'person' changes when the answer is there.
export function person(name) {
  const known = model.people.get(name);
  if (known) return known;
  if (!asked.has(name) && name) {
    asked.add(name);
    api.get(`people/${api.segment(name)}`).then(learn, () => {});
  }
  return { name, displayName: name, isUnknown: true };
}

export function learn(user) {
  const before = model.people.get(user.name);
  if (before && before.version !== undefined && user.version !== undefined && user.version < before.version) return;
  // A whole value replaces what was known, but for the state that only events tell.
  model.people.set(user.name, user.displayName === undefined ? { ...before, ...user } : { isOnline: before?.isOnline, ...user });
  if (model.me?.name === user.name) model.me = { ...model.me, ...user };
  changed('person');
  changed('list');
}

/// The account by which the server itself speaks.
export const systemName = '____system';
export const nameOf = (user) => user.name === systemName ? t('system') : user.remark || user.displayName || user.name;
export const titleOf = (conversation) => conversation.kind === 'direct' && conversation.with
  ? nameOf(model.people.get(conversation.with.name) ?? conversation.with) : conversation.title || t('conversation.untitled');

// MARK: conversations

export function takeConversation(value) {
  pass?.seen.add(value.id);
  const before = model.conversations.get(value.id);
  if (before && before.revision > value.revision) return before;
  // Who became a manager may answer what waits already.
  if (before && before.role !== value.role) readRequests();
  if (value.with) learn(value.with);
  // A digest that came with a message is newer than one that was read before it.
  const after = before?.headSequence > value.headSequence ? { ...value, headSequence: before.headSequence, digest: before.digest, lastActivity: before.lastActivity } : value;
  model.conversations.set(value.id, after);
  changed('list');
  changed(`conversation:${value.id}`);
  return after;
}

export const sorted = () => [...model.conversations.values()].sort((one, other) =>
  Number(other.isPinned) - Number(one.isPinned) || other.lastActivity - one.lastActivity);

// The list is read page by page: the first one at once, another one when it comes near or in the time that is left.
const restBetweenPages = 400;
/// One reading of the list: who was known `before`, who was `seen` in it or told of since, and the cursor of what is `next`.
let pass = null;

function takePage({ items, next }) {
  for (const item of items) takeConversation(item);
  pass.next = next;
  model.isListLoaded = true;
  model.isListWhole = !next;
  if (next) pass.timer = setTimeout(readMore, pass.isHurried ? 0 : restBetweenPages);
  else for (const id of pass.before) if (!pass.seen.has(id)) model.conversations.delete(id);
  changed('list');
}

/// Reads the first page; its position is where events go on.
async function readList() {
  const before = [...model.conversations.keys()];
  const first = await api.snapshot('conversations?limit=100');
  clearTimeout(pass?.timer);
  pass = { before, seen: new Set() };
  takePage(first.value);
  return first.cursor;
}

/// Reads the next page of the list; who looks for something in all of it is in a hurry.
export async function readMore(isHurried) {
  const mine = pass;
  if (!mine?.next) return;
  mine.isHurried ||= isHurried === true;
  if (mine.isReading) return;
  mine.isReading = true;
  clearTimeout(mine.timer);
  try {
    const page = await api.get(`conversations${api.query({ limit: 100, cursor: mine.next })}`);
    if (mine === pass) takePage(page);
  } catch (error) {
    if (mine === pass && mine.next) mine.timer = setTimeout(readMore, error.retryAfter ?? 5000);
  } finally { mine.isReading = false; }
}

export async function fetchConversation(id) {
  return takeConversation(await api.get(`conversations/${api.segment(id)}`));
}

// MARK: messages. A run is a part of a conversation without holes, in the order of its sequences.

const longestRun = 1500;
/// Messages that are kept where somebody follows what is new, and of a conversation that was left.
const followedRun = 240;
/// Conversations whose messages are kept; the one that was left first goes first.
const mostRuns = 12;

export function runOf(id) {
  if (!model.runs.has(id)) model.runs.set(id, { items: [], byID: new Map(), hasBefore: false, hasAfter: false, isLoaded: false, isLoading: false, readers: new Map(), error: null });
  return model.runs.get(id);
}

let stamps = 0;

function hold(run, message) {
  const before = run.byID.get(message.id);
  if (before && before.revision > message.revision) return false;
  message.stamp = stamps += 1;
  run.byID.set(message.id, message);
  if (before) { run.items[run.items.indexOf(before)] = message; return true; }
  let at = run.items.length;
  while (at > 0 && run.items[at - 1].sequence > message.sequence) at -= 1;
  run.items.splice(at, 0, message);
  return true;
}

function trim(run, fromStart) {
  const extra = run.items.length - (fromStart && run.isFollowed ? followedRun : longestRun);
  if (extra <= 0) return;
  const gone = fromStart ? run.items.splice(0, extra) : run.items.splice(run.items.length - extra, extra);
  for (const message of gone) run.byID.delete(message.id);
  if (fromStart) Object.assign(run, { hasBefore: true, from: run.items[0].sequence }); else Object.assign(run, { hasAfter: true, to: run.items.at(-1).sequence });
}

/// A conversation was left: the end of its messages is kept for the next time, or nothing if one was far from it.
export function leaveRun(id) {
  const run = model.runs.get(id);
  if (!run) return;
  model.runs.delete(id);
  if (run.isLoaded && !run.hasAfter) { run.isFollowed = true; trim(run, true); model.runs.set(id, run); }
  for (const each of [...model.runs.keys()].slice(0, -mostRuns)) if (!listeners.get(`messages:${each}`)?.size) model.runs.delete(each);
}

/// `where`: {} for the newest, {around}, {before}, {after}.
export async function loadMessages(id, where = {}, limit = model.configuration.page_size ?? 50) {
  const run = runOf(id);
  if (run.isLoading) return;
  run.isLoading = true;
  run.error = null;
  changed(`messages:${id}`);
  try {
    const page = await api.get(`conversations/${api.segment(id)}/messages${api.query({ ...where, limit: Math.min(100, Math.max(10, limit)) })}`);
    const isNew = where.before === undefined && where.after === undefined;
    if (isNew) { run.items = []; run.byID.clear(); run.isKept = false; }
    for (const message of page.items) { hold(run, message); settle(message); }
    if (isNew || where.before !== undefined) run.hasBefore = page.hasBefore;
    if (isNew || where.after !== undefined) run.hasAfter = page.hasAfter;
    // Messages that are not shown leave holes in a page: it says itself where the next one begins.
    if (isNew || where.before !== undefined) run.from = page.first ?? page.items[0]?.sequence ?? run.from;
    if (isNew || where.after !== undefined) run.to = page.last ?? page.items.at(-1)?.sequence ?? run.to;
    trim(run, where.after !== undefined);
    run.isLoaded = true;
  } catch (error) {
    run.error = error;
  } finally {
    run.isLoading = false;
    changed(`messages:${id}`);
  }
}

export const digestOf = (message) => message.kind === 'text' || message.kind === 'system' ? message.text ?? ''
  : message.kind === 'custom' ? message.custom?.degrade ?? t('kind.custom')
    : message.kind === 'file' ? `${t('kind.file')} ${message.attachment?.name ?? ''}` : t(`kind.${message.kind}`);

/// True when a message names oneself, or everybody.
export const isMeant = ({ mentions }) => mentions === 'all' || mentions?.includes(model.me.name) === true;

/// By conversation: the newest message that was told. The head of a conversation may be known before its messages come.
const toldThrough = new Map();
function arrive(message, { id, readSequence }) {
  if (message.sender === model.me?.name || message.sequence <= Math.max(readSequence, toldThrough.get(id) ?? 0)) return;
  toldThrough.set(id, message.sequence);
  tell('arrived', message, model.conversations.get(id));
}

/// `isNew`: it has just come, as an event tells.
export function takeMessage(message, isNew) {
  const run = model.runs.get(message.conversation);
  settle(message);
  if (run?.isLoaded) {
    const { items } = run;
    const isInside = run.byID.has(message.id) || (items.length && message.sequence > items[0].sequence && (!run.hasAfter || message.sequence < items.at(-1).sequence)) || (!run.hasAfter && (!items.length || message.sequence > items.at(-1).sequence));
    if (isInside && hold(run, message)) { trim(run, true); changed(`messages:${message.conversation}`); }
  }
  const conversation = model.conversations.get(message.conversation);
  if (!conversation) { fetchConversation(message.conversation).then((value) => { if (isNew) arrive(message, value); }, () => {}); return; }
  pass?.seen.add(conversation.id);
  const digest = { text: digestOf(message), sender: message.sender, time: message.time, sequence: message.sequence };
  if (message.sequence > conversation.headSequence) {
    const isMine = message.sender === model.me.name;
    Object.assign(conversation, {
      headSequence: message.sequence, digest, lastActivity: Math.max(conversation.lastActivity, message.time),
      unread: isMine || message.sequence <= conversation.readSequence ? conversation.unread : conversation.unread + 1,
      mentioned: conversation.mentioned || (!isMine && isMeant(message)),
    });
    changed('list');
    changed(`conversation:${conversation.id}`);
  } else if (conversation.digest?.sequence === message.sequence) {
    conversation.digest = digest;
    changed('list');
  }
  if (isNew) arrive(message, conversation);
}

function takeRead({ conversation: id, user, sequence }) {
  const conversation = model.conversations.get(id);
  if (user === model.me.name) {
    if (conversation && sequence > conversation.readSequence) {
      conversation.readSequence = sequence;
      if (sequence >= conversation.headSequence) { conversation.unread = 0; conversation.mentioned = false; }
      changed('list');
    }
    return;
  }
  const run = model.runs.get(id);
  if (!run) return;
  run.readers.set(user, Math.max(run.readers.get(user) ?? 0, sequence));
  changed(`messages:${id}`);
}

/// True when somebody else has read one's own message, as far as is known here.
export function isRead(message, run) {
  if (message.receipt?.read > 0) return true;
  for (const sequence of run.readers.values()) if (sequence >= message.sequence) return true;
  return false;
}

let readTimer = null;
const readWanted = new Map();

/// Says that everything up to a sequence was seen; the newest word of a second goes out.
export function markRead(id, sequence) {
  const conversation = model.conversations.get(id);
  if (!conversation || sequence <= conversation.readSequence) return;
  conversation.readSequence = sequence;
  if (sequence >= conversation.headSequence) { conversation.unread = 0; conversation.mentioned = false; }
  changed('list');
  readWanted.set(id, sequence);
  readTimer ??= setTimeout(sendReads, 300);
}

async function sendReads() {
  readTimer = null;
  for (const [id, sequence] of [...readWanted]) {
    readWanted.delete(id);
    try { await api.put(`conversations/${api.segment(id)}/read`, { sequence }); } catch (error) {
      if (error.isPassing && !readWanted.has(id)) { readWanted.set(id, sequence); readTimer ??= setTimeout(sendReads, error.retryAfter ?? 5000); }
    }
  }
}

// MARK: typing

const typingLasts = 6000;

function takeTyping({ conversation, user }) {
  if (user === model.me.name) return;
  if (!model.typing.has(conversation)) model.typing.set(conversation, new Map());
  const people = model.typing.get(conversation);
  clearTimeout(people.get(user));
  people.set(user, setTimeout(() => endTyping(conversation, user), typingLasts));
  changed(`typing:${conversation}`);
}

function endTyping(conversation, user) {
  const people = model.typing.get(conversation);
  if (!people?.has(user)) return;
  clearTimeout(people.get(user));
  people.delete(user);
  changed(`typing:${conversation}`);
}

let lastTyping = { id: null, at: 0 };
export function sayTyping(id) {
  if (lastTyping.id === id && Date.now() - lastTyping.at < 4000) return;
  lastTyping = { id, at: Date.now() };
  feed?.send({ typing: id });
}

// MARK: what waits to be sent. Each in a place of its own, so that two pages of one person do not lose each other's.

const boxKey = (item) => `teahouse.outbox.${model.me.name}.${item.clientToken}`;
export const outbox = new Map();
const pumping = new Set();

export const newToken = () => [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

const keep = (item) => { try { localStorage.setItem(boxKey(item), JSON.stringify(item)); } catch { /* full: it stays in memory */ } };

export const pendingOf = (id) => [...outbox.values()].filter((item) => item.conversation === id);

export function send(id, body) {
  const item = { clientToken: newToken(), conversation: id, body, time: Date.now(), state: 'waiting', stamp: stamps += 1 };
  outbox.set(item.clientToken, item);
  keep(item);
  lastTyping.at = 0;
  changed(`messages:${id}`);
  changed(`sent:${id}`);
  pump(id);
}

export function sendAgain(item) {
  Object.assign(item, { state: 'waiting', error: null, stamp: stamps += 1 });
  keep(item);
  changed(`messages:${item.conversation}`);
  pump(item.conversation);
}

export function giveUp(item) {
  outbox.delete(item.clientToken);
  localStorage.removeItem(boxKey(item));
  changed(`messages:${item.conversation}`);
}

/// The message of an own item is on the disk of the server.
function settle(message) {
  const item = message.clientToken && message.sender === model.me.name && outbox.get(message.clientToken);
  if (item) giveUp(item);
}

async function pump(id) {
  if (pumping.has(id)) return;
  pumping.add(id);
  try {
    for (;;) {
      const item = pendingOf(id).find((each) => each.state === 'waiting');
      if (!item) return;
      try {
        takeMessage(await api.post(`conversations/${api.segment(id)}/messages`, { clientToken: item.clientToken, ...item.body }));
        giveUp(item);
        // It was taken: the server is back before the next attempt to hear it.
        if (model.connection === 'offline') feed?.retryNow();
      } catch (error) {
        if (!(error instanceof api.Problem) || error.isPassing) {
          setTimeout(() => pump(id), error.retryAfter ?? 2000 + Math.random() * 2000);
          return;
        }
        Object.assign(item, { state: 'failed', error: error.message, stamp: stamps += 1 });
        keep(item);
        changed(`messages:${id}`);
      }
    }
  } finally {
    pumping.delete(id);
  }
}

function pumpAll() { for (const id of new Set([...outbox.values()].map((item) => item.conversation))) pump(id); }

function readOutbox() {
  outbox.clear();
  const start = `teahouse.outbox.${model.me.name}.`;
  const found = Object.keys(localStorage).filter((key) => key.startsWith(start)).map((key) => JSON.parse(localStorage.getItem(key)));
  for (const item of found.sort((one, other) => one.time - other.time)) outbox.set(item.clientToken, item);
}

// MARK: drafts

const draftKey = (id) => `teahouse.draft.${model.me.name}.${id}`;
const draftTimers = new Map();

export const draftOf = (id) => localStorage.getItem(draftKey(id)) ?? model.conversations.get(id)?.draft ?? '';

export function saveDraft(id, text) {
  try { localStorage.setItem(draftKey(id), text); } catch { /* full: the server keeps it */ }
  const conversation = model.conversations.get(id);
  if (conversation) conversation.draft = text || undefined;
  changed('list');
  clearTimeout(draftTimers.get(id));
  draftTimers.set(id, setTimeout(() => { draftTimers.delete(id); sendDraft(id, text); }, 1500));
}

function sendDraft(id, text) {
  api.put(`conversations/${api.segment(id)}/draft`, { text }).then(() => { if (!draftTimers.has(id)) localStorage.removeItem(draftKey(id)); }, () => {});
}

/// Drafts that the server has not got, because it was not there.
function sendDrafts() {
  const start = draftKey('');
  for (const key of Object.keys(localStorage)) if (key.startsWith(start)) sendDraft(key.slice(start.length), localStorage.getItem(key));
}

// MARK: requests that wait for an answer

let requestTimer = null;
/// Those that were told of while they are read: what was read may be older.
const toldRequests = new Set();

/// Reads which of them one may answer; events tell what comes after that.
function readRequests(wait = 200) {
  requestTimer ??= setTimeout(async () => {
    requestTimer = null;
    toldRequests.clear();
    try {
      const { items } = await api.get('requests?waiting=true&limit=100');
      for (const id of model.requests) if (!toldRequests.has(id)) model.requests.delete(id);
      for (const { id, canAnswer } of items) if (canAnswer && !toldRequests.has(id)) model.requests.add(id);
      changed('requests');
    } catch (error) { if (error.isPassing && model.me) readRequests(error.retryAfter ?? 5000); }
  }, wait);
}

export function takeRequest(request) {
  toldRequests.add(request.id);
  if (request.canAnswer) model.requests.add(request.id); else model.requests.delete(request.id);
  changed('requests');
  tell('request', request);
}

// MARK: events

function takeEvent(event) {
  takeOne(event);
  if (event.summary) takeConversation(event.summary);
}

function takeOne(event) {
  switch (event.type) {
    case 'message': endTyping(event.message.conversation, event.message.sender); takeMessage(event.message, true); break;
    case 'message_changed': takeMessage(event.message); break;
    case 'read': takeRead(event); break;
    case 'conversation':
      model.alerts.delete(event.conversation.id);
      changed(`options:${event.conversation.id}`);
      if (event.isNew) loadAgain(event.conversation.id); else takeConversation(event.conversation);
      break;
    case 'member': model.alerts.delete(event.conversation); changed(`members:${event.conversation}`); break;
    case 'gone': forgetConversation(event.conversation); readRequests(); break;
    case 'profile': learn(event.user); break;
    case 'request': takeRequest(event.request); break;
    case 'notice': model.notices.push(event.notice); changed('notice'); break;
    case 'typing': takeTyping(event); break;
    case 'online': if (model.people.has(event.user)) learn({ name: event.user, isOnline: event.isOnline }); break;
    case 'gap': loadAgain(event.scope === 'conversation' ? event.conversation : null); break;
    default: break; // what this page has no use for
  }
}

export function forgetConversation(id) {
  model.conversations.delete(id);
  model.runs.delete(id);
  changed('list');
  changed(`conversation:${id}`);
}

/// Something was left out of the events: what is shown is read anew.
async function loadAgain(only) {
  try {
    if (only) await fetchConversation(only); else {
      const cursor = await readList();
      if (cursor && feed) feed.cursor = cursor;
      model.alerts.clear();
      readRequests();
      changed('gap');
    }
    for (const [id, run] of [...model.runs]) {
      if (only && id !== only) continue;
      if (listeners.get(`messages:${id}`)?.size) { run.isLoading = false; await loadMessages(id, run.hasAfter && run.items.length ? { around: run.items[Math.floor(run.items.length / 2)].sequence } : {}); } else model.runs.delete(id);
    }
  } catch (error) {
    if (error.isPassing) setTimeout(() => loadAgain(only), error.retryAfter ?? 3000);
  }
}

export const watchPeople = (names) => feed?.send({ watch: names });

let offlineTimer = null;
function takeState(state, retryAt) {
  model.retryAt = retryAt ?? 0;
  clearTimeout(offlineTimer);
  // A short cut is nobody's business.
  if (state === 'online') { model.connection = 'online'; changed('connection'); changed('online'); pumpAll(); sendDrafts(); } else {
    offlineTimer = setTimeout(() => { model.connection = state; changed('connection'); }, model.connection === 'online' ? 1000 : 0);
  }
}

export const retryNow = () => feed?.retryNow();

// MARK: from sign-in to sign-out

/// `kept`: what this browser still knows while the server cannot be reached.
export async function begin(session, kept) {
  Object.assign(model, { me: session.user, limits: session.limits ?? {}, configuration: session.configuration ?? {}, isAdministrator: session.isAdministrator === true, requests: new Set(), isListLoaded: false, isListWhole: false, connection: 'connecting' });
  learn(session.user);
  readOutbox();
  if (kept) {
    for (const each of kept.people) learn(each);
    for (const [id, value] of kept.configurations) model.configurations.set(id, value);
    for (const each of kept.conversations) takeConversation(each);
    for (const [id, items] of kept.runs) {
      const run = runOf(id);
      for (const each of items) hold(run, each);
      Object.assign(run, { isLoaded: true, isKept: true, hasBefore: true, from: items[0]?.sequence });
    }
    model.isListLoaded = model.isListWhole = true;
  }
  for (let wait = 1000; ; wait = Math.min(wait * 2, 15_000)) {
    try {
      if (kept) { const now = await api.get('session'); Object.assign(model, { isAdministrator: now.isAdministrator === true, me: now.user, limits: now.limits ?? {}, configuration: now.configuration ?? {} }); }
      const cursor = await readList();
      if (!model.me) return;
      feed = new Feed(cursor, { event: takeEvent, state: takeState });
      readRequests();
      pumpAll();
      return;
    } catch (error) {
      if (!error.isPassing || !model.me) throw error;
      takeState('offline', Date.now() + wait);
      await new Promise((resolve) => setTimeout(resolve, error.retryAfter ?? wait * (0.75 + Math.random() / 2)));
    }
  }
}

export function end() {
  feed?.stop();
  feed = null;
  clearTimeout(pass?.timer);
  pass = null;
  model.me = null;
  model.notices = [];
  for (const each of [model.conversations, model.configurations, model.people, model.runs, model.typing, model.alerts, outbox]) each.clear();
  asked.clear();
  toldThrough.clear();
  api.forgetContents();
}
