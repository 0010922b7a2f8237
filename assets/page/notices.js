// Announcements of the operator: a bar for the newest that has to be confirmed, and the list of all.

import * as api from './api.js';
import { dialog, h, icon } from './dom.js';
import { clock, dayName, moreTexts, t } from './i18n.js';
import { model, on } from './model.js';
import { busy, empty, pagedList, richText } from './parts.js';

await moreTexts();

const known = new Map();
const waiting = () => [...known.values()].filter((each) => each.needsConfirmation && !each.confirmedAt).sort((one, other) => other.time - one.time);
let offer = () => {};
let told = () => {};

async function confirm(notice, button) {
  await busy(button, async () => {
    await api.post(`notices/${api.segment(notice.id)}/confirm`);
    notice.confirmedAt = Date.now();
    draw();
  });
}

function draw() {
  const open = waiting();
  told(open.length);
  const [notice] = open;
  if (!notice) { offer('notice', null); return; }
  const yes = h('button', { class: 'button primary', onclick: () => confirm(notice, yes) }, t('notice.confirm'));
  offer('notice', h('div', { class: 'bar notice', role: 'region', 'aria-label': t('notices') }, icon('info'),
    h('button', { class: 'grow words', onclick: showNotices }, h('b', { class: 'cut' }, notice.title || t('notice')), h('span', { class: 'cut' }, notice.body.replace(/\s+/gu, ' '))),
    open.length > 1 && h('span', { class: 'count' }, String(open.length)), yes));
}

function take(notice) {
  const before = known.get(notice.id);
  known.set(notice.id, before ? Object.assign(before, notice) : notice);
  return known.get(notice.id);
}

/// Reads what waits for a confirmation; true when it was read. `bar(name, element)` shows a bar, `count(number)` a badge.
export async function watchNotices(bar, count) {
  offer = bar;
  told = count;
  known.clear();
  let isRead = true;
  try { for (const each of (await api.get('notices?limit=50')).items) take(each); } catch { isRead = false; }
  takeTold();
  return isRead;
}

/// The list of all, while it is open.
let shown = null;
function takeTold() {
  for (const each of model.notices.splice(0)) shown?.take(take(each)) ?? take(each);
  draw();
}
on('notice', takeTold);

/// All of them, the newest first.
export function showNotices() {
  const { box } = dialog(t('notices'), t('close'), () => {
    const list = h('div', { class: 'notices' });
    const row = (value) => {
      const notice = take(value);
      const yes = h('button', { class: 'button primary', onclick: async () => { await confirm(notice, yes); shown?.take(notice); } }, t('notice.confirm'));
      return h('article', { class: 'announcement' }, h('h3', {}, notice.title || t('notice')),
        h('p', { class: 'small quiet' }, `${dayName(notice.time)} ${clock(notice.time)}`), h('div', { class: 'text' }, richText(notice.body)),
        h('footer', {}, notice.confirmedAt ? h('span', { class: 'small quiet' }, t('notice.confirmed', { time: `${dayName(notice.confirmedAt)} ${clock(notice.confirmedAt)}` })) : notice.needsConfirmation && yes));
    };
    shown = pagedList(list, (cursor) => api.get(`notices${api.query({ cursor, limit: 30 })}`), row, () => empty('info', t('notices.none')));
    queueMicrotask(() => shown.start());
    return h('div', { class: 'body', tabindex: '0' }, list);
  });
  box.addEventListener('close', () => { shown = null; });
}
