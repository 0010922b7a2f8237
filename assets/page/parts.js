// Small parts that many screens are made of.

import * as api from './api.js';
import { h, hue, icon, letters, toast } from './dom.js';
import { t } from './i18n.js';
import { model, nameOf, person, titleOf } from './model.js';

/// A round picture of a person (square of a group): letters at once, the picture when it has come.
export function avatar({ name, key = name, picture, isGroup, isHere, size = '' }) {
  const box = h('span', { class: `avatar ${size} ${isGroup ? 'group' : ''} ${isHere ? 'here' : ''}`, hue: hue(key), 'aria-hidden': 'true' }, letters(name));
  if (api.isOwn(picture)) {
    api.content(picture).then((url) => {
      const image = h('img', { src: url, alt: '' });
      image.addEventListener('error', () => image.remove());
      box.append(image);
    }, () => {});
  }
  return box;
}

export const personAvatar = (user, size) => avatar({ name: nameOf(user), key: user.name, picture: user.avatar, isHere: user.isOnline === true, size });

export function conversationAvatar(conversation, size) {
  if (conversation.kind === 'direct' && conversation.with) return personAvatar(model.people.get(conversation.with.name) ?? conversation.with, size);
  return avatar({ name: titleOf(conversation), key: conversation.id, picture: conversation.avatar, isGroup: true, size });
}

const links = /https?:\/\/[^\s<>"'，。！？；：、（）《》“”‘’]+/giu;

/// The text of a message: links, code and the names of who is meant are marked; everything stays text.
export function richText(text, { mentions } = {}) {
  const out = document.createDocumentFragment();
  for (const [index, part] of text.split(/```(?:[\w+-]*\n)?([\s\S]*?)```/u).entries()) {
    if (index % 2) out.append(h('pre', { tabindex: '0' }, part.replace(/\n$/, '')));
    else inline(index ? part.replace(/^\n/, '') : part.replace(/\n$/, index + 1 < text.split('\x60\x60\x60').length ? '' : '\n'), out, mentions);
  }
  return out;
}

function inline(text, out, mentions) {
  for (const [index, part] of text.split(/\x60([^\x60\n]+)\x60/u).entries()) {
    if (index % 2) { out.append(h('code', {}, part)); continue; }
    let at = 0;
    for (const found of part.matchAll(links)) {
      const address = found[0].replace(/[.,;:!?)\]}]+$/u, '');
      words(part.slice(at, found.index), out, mentions);
      out.append(h('a', { href: address, target: '_blank', rel: 'noopener noreferrer nofollow' }, address));
      at = found.index + address.length;
    }
    words(part.slice(at), out, mentions);
  }
}

function words(text, out, mentions) {
  if (!text) return;
  const names = (mentions === 'all' ? [t('mention.all'), 'all', '所有人'] : (mentions ?? []).flatMap((name) => [nameOf(person(name)), person(name).displayName, name]))
    .filter(Boolean).map((name) => `@${name}`).sort((one, other) => other.length - one.length);
  if (!names.length) { out.append(text); return; }
  const pattern = new RegExp(`(${names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})`, 'u');
  for (const [index, part] of text.split(pattern).entries()) out.append(index % 2 ? h('span', { class: 'at' }, part) : part);
}

export const isBigEmoji = (text) => text.length <= 24 && /^(?:\p{Extended_Pictographic}(?:\u200d\p{Extended_Pictographic}|[\u{1f3fb}-\u{1f3ff}\ufe0f])*\s?){1,3}$/u.test(text);

export const spinner = () => h('div', { class: 'spinner', role: 'progressbar', 'aria-label': t('busy') });

export function empty(sign, title, text, ...actions) {
  return h('div', { class: 'empty' }, icon(sign), h('strong', {}, title), text && h('span', { class: 'ui' }, text), ...actions);
}

/// Why something may not be done, or null when it may.
export const mayNot = (right) => right === undefined || right === true ? null : t(`no.${right?.no}`) === `no.${right?.no}` ? t('no') : t(`no.${right?.no}`);

/// A list with a spinner, an error with a button, or what was found; more is read when its end comes near. `take` draws one row anew, or
/// puts it first when it is not there.
export function pagedList(box, load, row, none) {
  const rows = new Map();
  let cursor;
  let run = 0;
  const more = h('div', {});
  const read = async (mine) => {
    more.replaceChildren(spinner());
    try {
      const page = await load(cursor);
      if (mine !== run) return;
      more.replaceChildren();
      for (const item of page.items) if (!item.id || !rows.has(item.id)) { const made = row(item); rows.set(item.id, made); box.insertBefore(made, more); }
      cursor = page.next;
      if (box.children.length === 1) more.replaceChildren(none());
      if (cursor) watch(mine);
    } catch (error) {
      if (mine !== run) return;
      more.replaceChildren(h('div', { class: 'empty' }, h('span', { class: 'error' }, error.message), h('button', { class: 'button', onclick: () => read(mine) }, t('again'))));
    }
  };
  const watch = (mine) => {
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      if (mine === run) read(mine);
    }, { root: box.closest('.pick:not(.members), .body') });
    more.replaceChildren(spinner());
    observer.observe(more);
  };
  const take = (item) => {
    const [made, old] = [row(item), rows.get(item.id)];
    rows.set(item.id, made);
    if (box.children.length === 1) more.querySelector('.empty')?.remove();
    const hadFocus = old?.contains(document.activeElement);
    if (old) old.replaceWith(made); else box.prepend(made);
    if (hadFocus) (made.querySelector('button') ?? box.closest('dialog').querySelector('button')).focus();
  };
  return { start() { run += 1; cursor = undefined; rows.clear(); box.replaceChildren(more); read(run); }, stop() { run += 1; }, take };
}

/// A line of a form for what goes wrong.
export const failureLine = (kind = 'error ui') => h('p', { class: kind, role: 'alert', hidden: true });

/// Runs a request from a button, which is busy meanwhile; what the server refuses is told, in the line of the form where there is one.
export async function busy(button, run, failure) {
  if (button.getAttribute('aria-busy') === 'true') return;
  button.setAttribute('aria-busy', 'true');
  if (failure) failure.hidden = true;
  try { await run(); } catch (error) {
    if (!(error instanceof api.Problem)) throw error;
    const text = error.retryAfter ? `${error.message} ${t('problem.wait', { seconds: Math.ceil(error.retryAfter / 1000) })}` : error.message;
    if (failure) { failure.textContent = text; failure.hidden = false; } else toast(text);
  } finally { button.removeAttribute('aria-busy'); }
}
