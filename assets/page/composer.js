// Where one writes: draft, reply, edit, mentions, emoji, files.

import * as api from './api.js';
import { dialog, h, icon, later, menu, toast, tool } from './dom.js';
import { t } from './i18n.js';
import { digestOf, draftOf, model, nameOf, on, person, saveDraft, sayTyping, send, takeMessage } from './model.js';
import { personAvatar } from './parts.js';
import { addUploads, shelf } from './uploads.js';

const emoji = '😀 😁 😂 🤣 😊 😍 😘 🥰 😎 🤔 🤗 🤭 😅 😉 😋 😴 😭 😢 😡 😱 🥺 😤 🙄 😏 👍 👎 👌 👏 🙏 💪 🤝 ✌️ 👋 🙌 👀 💯 ❤️ 💔 🎉 🎂 🎁 🌹 🌞 🌙 ⭐ 🔥 💡 ✅ ❌ ❓ ❗ ☕ 🍵 🍜 🍚 🥟 🍎 🍉 🍺 ⚽ 🏀 🚗 🚀 🏠'.split(' ');
const mostMentions = 5;

export function composer({ id, place, drop, options: settings, editLast }) {
  const conversation = () => model.conversations.get(id);
  const area = h('textarea', { rows: '1', enterkeyhint: 'send', autocomplete: 'off', 'aria-label': t('compose.label') });
  const above = h('div', { class: 'above', hidden: true });
  const over = h('div', { class: 'over', role: 'status', hidden: true });
  const reason = h('div', { class: 'reason', role: 'status', hidden: true });
  const go = tool('send', t('send'), () => submit(), { class: 'tool go' });
  const files = h('input', { type: 'file', multiple: true, hidden: true, 'aria-hidden': 'true', tabindex: '-1' });
  files.addEventListener('change', () => { attach(files.files); files.value = ''; });
  const smile = tool('smile', t('emoji'), () => {
    let close = () => {};
    close = menu(smile, [h('div', { class: 'emoji' }, emoji.map((each) => h('button', { role: 'menuitem', 'aria-label': each, onclick: () => { close(); insert(each); } }, each)))], t('emoji'));
  }, { 'aria-haspopup': 'menu' });
  const pick = (accept, capture) => {
    for (const [name, value] of [['accept', accept], ['capture', capture]]) if (value) files.setAttribute(name, value); else files.removeAttribute(name);
    files.click();
  };
  const media = () => [settings().allows('picture') && 'image/*', settings().allows('video') && 'video/*'].filter(Boolean).join(',');
  const offers = {
    album: { icon: 'picture', run: () => pick(media()) }, camera: { icon: 'camera', run: () => pick(media(), 'environment') }, file: { icon: 'file', run: () => pick() },
    location: { icon: 'place', run: async () => (await import('./record.js')).placeForm(dialog, (value) => { send(id, { kind: 'place', place: value }); }) },
    card: { icon: 'person', run: async () => (await import('./select.js')).shareCard(id) },
  };
  const plus = tool('plus', t('compose.more'), () => {
    const items = settings().items.filter((each) => offers[each] && (each !== 'camera' || matchMedia('(pointer: coarse)').matches));
    menu(plus, items.map((each) => ({ ...offers[each], label: t(`compose.${each}`) })), t('compose.more'));
  }, { 'aria-haspopup': 'menu' });
  const voice = tool('voice', t('voice.record'), async () => { const { record } = await import('./record.js'); record({ id, box, options: settings() }); });
  const box = h('div', { class: 'box' });
  const drawButtons = () => {
    const { buttons, items } = settings();
    const parts = { voice, text: area, emoji: smile, more: items.length && plus };
    // One can always send what was typed before the buttons changed.
    area.hidden = !buttons.includes('text') && !edited;
    const wanted = [...(buttons.includes('text') ? [] : [area]), ...buttons.map((each) => parts[each]).filter(Boolean), go];
    if (wanted.length !== box.children.length || wanted.some((each, index) => box.children[index] !== each)) {
      const focused = box.contains(document.activeElement) && document.activeElement;
      box.replaceChildren(...wanted);
      if (focused) focused.focus({ preventScroll: true });
    }
    go.hidden = area.hidden;
  };
  const options = h('div', { class: 'mentions', role: 'listbox', id: 'mention-list', 'aria-label': t('mention.label'), hidden: true });
  const uploads = shelf(id);
  const element = h('footer', { class: 'composer' }, options, h('div', { class: 'in' }, uploads.element, above, box, over, reason, files));
  let reply = null;
  let edited = null;
  let isComposing = false;
  const meant = new Map();
  // An edit that was cut off goes on where it was when the same message is edited again.
  const editKey = () => `teahouse.edit.${model.me.name}.${id}`;
  const editOf = (message) => { try { const [of, text] = JSON.parse(localStorage.getItem(editKey())); return of === message.id ? text : null; } catch { return null; } };

  const most = () => settings().textCharacters;
  const count = () => [...area.value].length;

  const measure = () => {
    const left = most() - count();
    over.hidden = left > most() * 0.1;
    over.textContent = left < 0 ? t('compose.tooLong', { count: -left }) : t('compose.left', { count: left });
    go.disabled = !area.value.trim() || left < 0;
  };
  const grow = () => {
    area.style.height = '40px';
    area.style.height = `${Math.min(area.scrollHeight, 216)}px`;
    measure();
  };
  const insert = (text) => {
    area.focus();
    area.setRangeText(text, area.selectionStart, area.selectionEnd, 'end');
    typed();
  };
  const typed = () => {
    grow();
    if (edited) localStorage.setItem(editKey(), JSON.stringify([edited.id, area.value])); else saveDraft(id, area.value);
    if (area.value) sayTyping(id);
    findMention();
  };
  area.addEventListener('input', typed);
  area.addEventListener('compositionstart', () => { isComposing = true; });
  area.addEventListener('compositionend', () => { isComposing = false; });
  area.addEventListener('keydown', (event) => {
    // An Enter that ends a Chinese word is the input method's.
    if (event.isComposing || isComposing || event.keyCode === 229) return;
    if (!options.hidden && keyInMentions(event)) return;
    if (event.key === 'Enter' && !event.shiftKey && !event.ctrlKey && !event.altKey) { event.preventDefault(); submit(); }
    else if (event.key === 'Escape' && (reply || edited)) { event.preventDefault(); cancel(); }
    else if (event.key === 'ArrowUp' && !area.value && !edited) { event.preventDefault(); editLast(); }
  });
  area.addEventListener('blur', () => setTimeout(() => { options.hidden = true; area.removeAttribute('aria-activedescendant'); }, 150));
  area.addEventListener('paste', (event) => { if (event.clipboardData?.files.length) { event.preventDefault(); attach(event.clipboardData.files); } });

  const cancel = () => {
    if (edited) { area.value = draftOf(id); localStorage.removeItem(editKey()); }
    reply = edited = null;
    meant.clear();
    draw();
    grow();
    area.focus();
  };

  const submit = async () => {
    const text = area.value.trim();
    if (!text || count() > most()) return;
    if (edited) {
      const message = edited;
      if (text === message.text) { cancel(); return; }
      go.setAttribute('aria-busy', 'true');
      try {
        const answer = await api.patch(`messages/${api.segment(message.id)}`, { text });
        if (answer?.id) takeMessage(answer);
        cancel();
      } catch (error) { toast(error.message); } finally { go.removeAttribute('aria-busy'); }
      return;
    }
    const mentions = meant.has('') && text.includes(`@${t('mention.all')}`) ? 'all' : [...meant].filter(([name, label]) => name && text.includes(`@${label}`)).map(([name]) => name);
    send(id, { kind: 'text', text, ...(mentions.length ? { mentions } : {}), ...(reply ? { replyTo: reply.id } : {}) });
    area.value = '';
    meant.clear();
    reply = null;
    saveDraft(id, '');
    draw();
    grow();
    area.focus();
  };

  // MARK: mentions

  let asked = 0;
  const fragment = () => {
    const before = area.value.slice(0, area.selectionStart);
    const found = /(?:^|[^\w.])@([^\s@]{0,24})$/u.exec(before);
    return found && area.selectionStart === area.selectionEnd ? { text: found[1], start: before.length - found[1].length - 1 } : null;
  };
  const findMention = later(120, async () => {
    const at = fragment();
    asked += 1;
    const mine = asked;
    if (!at || conversation()?.kind === 'direct' || isComposing) { options.hidden = true; return; }
    let found = [];
    try { found = (await api.get(`conversations/${api.segment(id)}/members${api.query({ query: at.text, limit: mostMentions })}`)).items; } catch { /* no list then */ }
    if (mine !== asked || !fragment()) return;
    const people = found.map((each) => each.user ?? each).filter((each) => each.name !== model.me.name);
    const chooser = !at.text || people.length === mostMentions || !people.length ? [{ displayName: t('mention.choose'), choose: true }] : [];
    const all = conversation()?.role && conversation().role !== 'member' && t('mention.all').startsWith(at.text);
    options.replaceChildren(...[...(all ? [{ name: '', displayName: t('mention.all') }] : []), ...people, ...chooser].map((user, index) =>
      h('div', { class: 'option', role: 'option', id: `mention-${index}`, 'aria-selected': String(index === 0), onpointerdown: (event) => { event.preventDefault(); mention(user); } }, user.choose ? h('span', { class: 'sign' }, icon('group')) : personAvatar(user, 's36'), h('span', { class: 'grow cut' }, nameOf(user)), !user.choose && h('span', { class: 'small quiet cut' }, user.name))));
    [...options.children].forEach((each, index) => { each.user = [...(all ? [{ name: '', displayName: t('mention.all') }] : []), ...people, ...chooser][index]; });
    options.hidden = !options.children.length;
    area.setAttribute('aria-activedescendant', options.hidden ? '' : 'mention-0');
  });
  const mention = (user) => {
    const at = fragment();
    if (!at) return;
    if (user.choose) { chooseMention(at); return; }
    const label = user.displayName || user.name;
    meant.set(user.name, label);
    area.setRangeText(`@${label} `, at.start, area.selectionStart, 'end');
    options.hidden = true;
    typed();
    area.focus();
  };
  const chooseMention = async (at) => {
    options.hidden = true;
    const { chooseMention: choose } = await import('./select.js');
    choose(id, (people) => {
      const labels = people.map((user) => { const label = user.displayName || user.name; meant.set(user.name, label); return `@${label} `; });
      area.setRangeText(labels.join(''), at.start, area.selectionStart, 'end');
      typed();
      queueMicrotask(() => area.focus());
    });
  };
  const keyInMentions = (event) => {
    const all = [...options.children];
    const at = all.findIndex((each) => each.getAttribute('aria-selected') === 'true');
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      const next = (at + step + all.length) % all.length;
      all.forEach((each, index) => each.setAttribute('aria-selected', String(index === next)));
      all[next].scrollIntoView({ block: 'nearest' });
      area.setAttribute('aria-activedescendant', `mention-${next}`);
    } else if (event.key === 'Enter' || event.key === 'Tab') mention(all[Math.max(0, at)].user);
    else if (event.key === 'Escape') options.hidden = true;
    else return false;
    event.preventDefault();
    return true;
  };

  // MARK: files

  const attach = (list) => { if (conversation()?.rights?.send === true) addUploads(id, [...list]); };
  let depth = 0;
  const carriesFiles = (event) => event.dataTransfer?.types.includes('Files') && conversation()?.rights?.send === true;
  const events = {
    dragenter: (event) => { if (!carriesFiles(event)) return; event.preventDefault(); depth += 1; drop.hidden = false; },
    dragover: (event) => { if (carriesFiles(event)) event.preventDefault(); },
    dragleave: () => { depth = Math.max(0, depth - 1); if (!depth) drop.hidden = true; },
    drop: (event) => { depth = 0; drop.hidden = true; if (!carriesFiles(event)) return; event.preventDefault(); attach(event.dataTransfer.files); },
  };
  for (const [name, run] of Object.entries(events)) place.addEventListener(name, run);

  // MARK: drawing

  const draw = () => {
    const value = conversation();
    const right = value?.rights?.send;
    const mayNot = right && right !== true;
    box.hidden = Boolean(mayNot) || !value;
    reason.hidden = !mayNot;
    if (mayNot) reason.textContent = [`no.${right.no}`].map((key) => (t(key) === key ? t('no') : t(key)))[0];
    const message = edited ?? reply;
    above.hidden = !message || Boolean(mayNot);
    if (message) above.replaceChildren(h('div', { class: 'reply-quote' }, h('b', { class: 'cut' }, edited ? t('edit.now') : t('reply.to', { who: message.sender === model.me.name ? t('you') : nameOf(person(message.sender)) })), h('span', {}, message.text || digestOf(message))), tool('close', t('cancel'), cancel));
    area.placeholder = settings().placeholder;
    measure();
    drawButtons();
  };

  const fromElsewhere = on(`conversation:${id}`, () => {
    // A draft of another device comes in where nothing is being written here.
    const text = draftOf(id);
    if (!edited && document.activeElement !== area && area.value !== text) { area.value = text; grow(); }
  });
  area.value = draftOf(id);
  draw();
  queueMicrotask(grow);
  return {
    element, draw,
    focus() { if (!box.hidden) area.focus({ preventScroll: true }); },
    reply(message) { if (edited) cancel(); reply = message; draw(); area.focus(); },
    edit(message) { edited = message; reply = null; area.value = editOf(message) ?? message.text ?? ''; draw(); grow(); area.focus(); },
    stop() { for (const [name, run] of Object.entries(events)) place.removeEventListener(name, run); fromElsewhere(); uploads.stop(); findMention.stop(); },
  };
}
