// What an encrypted connection brings: the worker that holds the page for bad times, and notifications.

import * as api from './api.js';
import { h, icon } from './dom.js';
import { moreTexts, t } from './i18n.js';
import { digestOf, nameOf, person, titleOf } from './model.js';

await moreTexts();

const wish = 'teahouse.notify';
const longestLine = 160;
const cardsFor = 300_000;

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

// A person may want alerts of owner and managers only: who they are is asked once for some minutes.
const cards = new Map();
async function wantsAlert(conversation, sender) {
  if (conversation.kind !== 'group') return true;
  let card = cards.get(conversation.id);
  if (!card || Date.now() - card.at > cardsFor) {
    const path = `conversations/${api.segment(conversation.id)}`;
    try {
      const { rows } = await api.get(`${path}/card`);
      const alerts = rows.find((each) => each.row === 'notify')?.value ?? 'all';
      // The owner and the managers are the first of the members.
      const { items } = alerts === 'managers' ? await api.get(`${path}/members?limit=50`) : { items: [] };
      card = { at: Date.now(), alerts, managers: new Set(items.filter((each) => each.role !== 'member').map((each) => (each.user ?? each).name)) };
    } catch { card = { at: Date.now(), alerts: 'all' }; }
    cards.set(conversation.id, card);
  }
  return card.alerts === 'all' || (card.alerts === 'managers' && card.managers.has(sender));
}

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
  if (!isAway() || (conversation.isMuted && !conversation.mentioned)) return;
  const permission = isSecureContext ? globalThis.Notification?.permission : 'default';
  if (permission === 'granted' && localStorage.getItem(wish) !== 'no') {
    if (await wantsAlert(conversation, message.sender)) show(message, conversation).catch(() => {});
    return;
  }
  if (localStorage.getItem(wish) || permission !== 'default') return;
  const close = () => bar.remove();
  const answer = (value) => { localStorage.setItem(wish, value); close(); };
  const bar = h('div', { class: 'bar', role: 'region', 'aria-label': t('notify.label') }, icon('bell'), h('span', { class: 'grow' }, t(isSecureContext ? 'notify.ask' : 'notify.insecure')),
    isSecureContext
      ? h('button', { type: 'button', class: 'button', onclick: async () => answer(await Notification.requestPermission() === 'granted' ? 'yes' : 'no') }, t('notify.do'))
      : h('button', { type: 'button', class: 'button', onclick: async () => { answer('no'); (await import('./secure.js')).showSecure(); } }, t('secure.title')),
    h('button', { type: 'button', class: 'plain', onclick: () => answer('no') }, t('notify.no')));
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
