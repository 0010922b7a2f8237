// What an encrypted connection brings: the last conversations kept for when the server cannot be reached, the worker that holds the page for
// bad times, notifications; and the steps to such a connection.

import * as api from './api.js';
import { dialog, h, icon } from './dom.js';
import { moreTexts, t } from './i18n.js';
import { digestOf, isMeant, model, nameOf, person, titleOf } from './model.js';

// MARK: the last conversations, over an encrypted connection only, and gone at sign-out. Contents of files are not kept.

const name = 'teahouse-last';
const mostListed = 40;
const mostRead = 12;
const mostMessages = 40;
const rest = 5000;

function database() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => request.result.createObjectStore('last');
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

async function table(mode, run) {
  const opened = await database();
  try {
    return await new Promise((resolve, reject) => {
      const request = run(opened.transaction('last', mode).objectStore('last'));
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  } finally { opened.close(); }
}

/// What was kept, or `null`.
export async function readKept() {
  try { return (await table('readonly', (store) => store.get('state'))) ?? null; } catch { return null; }
}

let known = null;
let timer = null;
let isEnded = false;

async function write() {
  timer = null;
  if (!model.me || !model.isListLoaded || isEnded) return;
  const conversations = [...model.conversations.values()].sort((one, other) => other.lastActivity - one.lastActivity).slice(0, mostListed);
  const ids = new Set(conversations.map((each) => each.id));
  const runs = new Map((known?.runs ?? []).filter(([id]) => ids.has(id)));
  for (const [id, run] of model.runs) {
    if (!ids.has(id) || !run.isLoaded || run.hasAfter || run.isHeld || !run.items.length) continue;
    runs.delete(id);
    runs.set(id, run.items.slice(-mostMessages));
  }
  const last = [...runs].slice(-mostRead);
  const names = new Set([model.me.name, ...conversations.flatMap((each) => [each.with?.name, each.digest?.sender]), ...last.flatMap(([, items]) => items.map((each) => each.sender))]);
  const people = [...names].map((each) => model.people.get(each)).filter(Boolean).map(({ isOnline, ...user }) => user);
  known = { session: { user: model.me, limits: model.limits, configuration: model.configuration }, configurations: [...model.configurations].filter(([id]) => ids.has(id)), conversations, runs: last, people };
  try { await table('readwrite', (store) => store.put(known, 'state')); if (isEnded) await forget(); } catch { /* a private window keeps nothing */ }
}

/// Something changed: it is written when changes rest.
export function keepSoon() { timer ??= setTimeout(write, rest); }
export function keepNow() { clearTimeout(timer); return write(); }

export async function startKeeping() { isEnded = false; known = await readKept(); if (known?.session.user.name !== model.me?.name) known = null; }

export function forget() {
  isEnded = true;
  known = null;
  clearTimeout(timer);
  timer = null;
  return new Promise((resolve) => { const request = indexedDB.deleteDatabase(name); request.onsuccess = request.onerror = request.onblocked = () => resolve(); });
}

// MARK: the worker and notifications

const wish = 'teahouse.notify';
const mentionWish = 'teahouse.notify.mentions';
const longestLine = 160;

let isRegistered = false;
/// Once in the life of a page; its address is the only one that the policy of the page lets through.
export async function registerWorker() {
  if (isRegistered || !isSecureContext || !navigator.serviceWorker) return;
  isRegistered = true;
  const policy = globalThis.trustedTypes?.createPolicy('teahouse', { createScriptURL: () => '/worker.js' });
  navigator.serviceWorker.addEventListener('message', ({ data }) => { if (/^\d+$/.test(data?.open ?? '')) location.hash = `#/c/${data.open}`; });
  try { await navigator.serviceWorker.register(policy ? policy.createScriptURL('') : '/worker.js', { scope: '/', updateViaCache: 'none' }); } catch { /* the certificate is not trusted: the page works without */ }
}

const isAway = () => document.visibilityState !== 'visible' || !document.hasFocus();

/// Who alerts in a group where one wants to hear of owner and managers only; `null` for everybody.
async function askWho(id) {
  const path = `conversations/${api.segment(id)}`;
  const { rows } = await api.get(`${path}/card`);
  if (rows.find((each) => each.row === 'notify')?.value !== 'managers') return null;
  // They are the first of the members.
  const { items } = await api.get(`${path}/members?limit=50`);
  return new Set(items.filter((each) => each.role !== 'member').map((each) => each.user.name));
}

/// Whoever is meant hears it, in silenced conversations too, unless they want it otherwise.
async function wantsAlert(message, { id, kind, isMuted }) {
  if (isMeant(message) && wants.mentions()) return true;
  if (isMuted || kind !== 'group') return !isMuted;
  if (!model.alerts.has(id)) model.alerts.set(id, askWho(id).catch(() => { model.alerts.delete(id); return null; }));
  const who = await model.alerts.get(id);
  return !who || who.has(message.sender);
}

/// What one wants to be told in this browser.
export const wants = {
  told: () => globalThis.Notification?.permission === 'granted' && localStorage.getItem(wish) !== 'no',
  mentions: () => localStorage.getItem(mentionWish) !== 'no',
};
/// Asks the browser where it has to; true when it tells from now on.
export async function setTold(isOn) {
  const may = isOn && await Notification.requestPermission() === 'granted';
  localStorage.setItem(wish, may ? 'yes' : 'no');
  return may;
}
export const setMentions = (isOn) => localStorage.setItem(mentionWish, isOn ? 'yes' : 'no');

async function show(message, conversation) {
  const sender = nameOf(person(message.sender));
  const text = digestOf(message).slice(0, longestLine);
  const options = { body: conversation.kind === 'direct' ? text : t('says', { who: sender, text }), tag: `c${conversation.id}`, renotify: true, icon: new URL('icon.png', import.meta.url).pathname, data: { id: conversation.id }, lang: document.documentElement.lang };
  const worker = await navigator.serviceWorker?.getRegistration();
  if (worker?.active) { await worker.showNotification(titleOf(conversation), options); return; }
  const notification = new Notification(titleOf(conversation), options);
  notification.onclick = () => { focus(); location.hash = `#/c/${conversation.id}`; notification.close(); };
}

/// A message came. While nobody looks, it is notified where that was allowed; where nobody was asked yet, `offer` gets a bar that asks
/// by a button, once somebody looks again.
export async function arrived(message, conversation, offer) {
  if (message.kind === 'system' || !isAway() || !await wantsAlert(message, conversation)) return;
  if (wants.told()) { show(message, conversation).catch(() => {}); return; }
  if (localStorage.getItem(wish) || (isSecureContext && globalThis.Notification?.permission !== 'default')) return;
  await moreTexts();
  const answer = (isOn) => { setTold(isOn); bar.remove(); };
  const bar = h('div', { class: 'bar', role: 'region', 'aria-label': t('notify.label') }, icon('bell'), h('span', { class: 'grow' }, t(isSecureContext ? 'notify.ask' : 'notify.insecure')),
    isSecureContext
      ? h('button', { class: 'button', onclick: () => answer(true) }, t('notify.do'))
      : h('button', { class: 'button', onclick: () => { answer(false); showSecure(); } }, t('secure.title')),
    h('button', { class: 'plain', onclick: () => answer(false) }, t('notify.no')));
  offer('notify', bar);
}

/// A picture in the clipboard; PNG is the one type that every browser takes.
export async function copyPicture(url) {
  const image = h('img', { src: url });
  await image.decode();
  const canvas = h('canvas', { width: image.naturalWidth, height: image.naturalHeight });
  canvas.getContext('2d').drawImage(image, 0, 0);
  const blob = await new Promise((resolve) => { canvas.toBlob(resolve, 'image/png'); });
  await navigator.clipboard.write([new ClipboardItem({ 'image/png': blob })]);
}

export const unread = (count) => { if (navigator.setAppBadge) (count ? navigator.setAppBadge(count) : navigator.clearAppBadge()).catch(() => {}); };

// MARK: the steps

/// `first` says what was just asked for.
export async function showSecure(first) {
  await moreTexts();
  dialog(t('secure.title'), t('close'), () => {
    const address = `https://${location.host}/`;
    const step = (number, ...parts) => h('li', {}, h('span', { class: 'number', 'aria-hidden': 'true' }, String(number)), h('span', { class: 'grow' }, parts));
    const system = (name) => h('details', {}, h('summary', {}, t(`secure.on.${name}`)), h('p', { class: 'ui quiet' }, t(`secure.on.${name}.text`)));
    return h('div', { class: 'body' }, first && h('p', { class: 'banner' }, h('span', {}, first)), h('p', { class: 'ui' }, t('secure.text')),
      h('ol', { class: 'steps' },
        step(1, h('a', { class: 'button', href: '/ca.pem', download: 'teahouse-ca.pem' }, icon('save'), t('secure.load'))),
        step(2, h('span', {}, t('secure.trust')), ...['windows', 'mac', 'android', 'ios', 'linux'].map(system)),
        step(3, h('span', {}, t('secure.open'), ' '), h('a', { href: address }, address))),
      h('p', { class: 'hint' }, t('secure.check')));
  });
}
