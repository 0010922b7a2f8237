// What an encrypted connection brings: the worker that holds the page for bad times, and notifications.

import * as api from './api.js';
import { h, icon } from './dom.js';
import { moreTexts, t } from './i18n.js';
import { digestOf, isMeant, model, nameOf, person, titleOf } from './model.js';

await moreTexts();

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
  if (!isAway() || !await wantsAlert(message, conversation)) return;
  if (wants.told()) { show(message, conversation).catch(() => {}); return; }
  if (localStorage.getItem(wish) || (isSecureContext && globalThis.Notification?.permission !== 'default')) return;
  const answer = (isOn) => { setTold(isOn); bar.remove(); };
  const bar = h('div', { class: 'bar', role: 'region', 'aria-label': t('notify.label') }, icon('bell'), h('span', { class: 'grow' }, t(isSecureContext ? 'notify.ask' : 'notify.insecure')),
    isSecureContext
      ? h('button', { type: 'button', class: 'button', onclick: () => answer(true) }, t('notify.do'))
      : h('button', { type: 'button', class: 'button', onclick: async () => { answer(false); (await import('./secure.js')).showSecure(); } }, t('secure.title')),
    h('button', { type: 'button', class: 'plain', onclick: () => answer(false) }, t('notify.no')));
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
