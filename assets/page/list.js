// The list of conversations.

import * as api from './api.js';
import { h, icon, menu, toast, ask } from './dom.js';
import { fullTime, shortTime, t } from './i18n.js';
import { changed, draftOf, forgetConversation, model, nameOf, on, person, sorted, titleOf } from './model.js';
import { conversationAvatar, empty } from './parts.js';

function digest(conversation) {
  const line = conversation.digest;
  if (!line) return conversation.kind === 'group' ? t('list.members', { count: conversation.memberCount }) : '';
  // Lines of the group itself are nobody's words.
  const who = conversation.kind === 'direct' || !line.sender || line.sender === '____system' ? null : line.sender === model.me.name ? t('you') : nameOf(person(line.sender));
  const text = line.text.replace(/\s+/gu, ' ');
  return who ? t('says', { who, text }) : text;
}

/// `app.open(id)` shows a conversation; `app.current` is the one shown.
export function conversationList(app) {
  const box = h('nav', { class: 'list', 'aria-label': t('list.label') });
  const entries = new Map();
  let filter = '';

  const change = async (conversation, settings) => {
    const before = { isPinned: conversation.isPinned, isMuted: conversation.isMuted };
    Object.assign(conversation, settings);
    changed('list');
    try { await api.patch(`conversations/${api.segment(conversation.id)}/settings`, settings); } catch (error) {
      Object.assign(conversation, before);
      changed('list');
      toast(error.message);
    }
  };
  const leaveList = async (conversation) => {
    if (!await ask(t('list.hide'), t('list.hide.ask', { title: titleOf(conversation) }), t('list.hide'), t('cancel'))) return;
    try { await api.remove(`conversations/${api.segment(conversation.id)}`); forgetConversation(conversation.id); if (app.current === conversation.id) app.close(); } catch (error) { toast(error.message); }
  };
  const actions = (place, conversation) => menu(place, [
    { icon: 'pin', label: t(conversation.isPinned ? 'list.unpin' : 'list.pin'), run: () => change(conversation, { isPinned: !conversation.isPinned }) },
    { icon: conversation.isMuted ? 'bell' : 'silent', label: t(conversation.isMuted ? 'list.unmute' : 'list.mute'), run: () => change(conversation, { isMuted: !conversation.isMuted }) },
    'line', { icon: 'close', label: t('list.hide'), run: () => leaveList(conversation) },
  ], titleOf(conversation));

  const entry = (conversation) => {
    const title = titleOf(conversation);
    const draft = app.current === conversation.id ? '' : draftOf(conversation.id).trim();
    const time = conversation.digest?.time ?? conversation.lastActivity;
    const unread = conversation.unread;
    const item = h('a', { class: `entry${unread && !conversation.isMuted ? ' fresh' : ''}`, href: `#/c/${conversation.id}`, 'aria-current': app.current === conversation.id ? 'page' : null },
      conversationAvatar(conversation),
      h('span', { class: 'grow' },
        h('span', { class: 'top' }, h('span', { class: 'title grow cut', title }, title),
          conversation.isPinned && h('span', { title: t('list.pinned') }, icon('pin'), h('span', { class: 'unseen' }, t('list.pinned'))),
          conversation.isMuted && h('span', { title: t('list.muted') }, icon('silent'), h('span', { class: 'unseen' }, t('list.muted'))),
          h('time', { class: 'time', datetime: new Date(time).toISOString(), title: fullTime(time) }, shortTime(time))),
        h('span', { class: 'low' },
          h('span', { class: 'digest grow cut' }, conversation.mentioned && h('span', { class: 'called' }, `${t('list.mentioned')} `),
            draft ? [h('span', { class: 'draft' }, `${t('list.draft')} `), draft.replace(/\s+/gu, ' ')] : digest(conversation)),
          unread > 0 && h('span', { class: `count${conversation.isMuted ? ' still' : ''}` }, h('span', { 'aria-hidden': 'true' }, unread > 99 ? '99+' : String(unread)), h('span', { class: 'unseen' }, t('list.unread', { count: unread }))))));
    item.addEventListener('click', (event) => { if (app.current === conversation.id) { event.preventDefault(); app.focus(); } });
    item.addEventListener('contextmenu', (event) => { event.preventDefault(); actions({ x: event.clientX, y: event.clientY }, conversation); });
    item.addEventListener('keydown', (event) => {
      const step = { ArrowDown: 'nextElementSibling', ArrowUp: 'previousElementSibling' }[event.key];
      if (step) { event.preventDefault(); item[step]?.focus(); }
      if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) { event.preventDefault(); const place = item.getBoundingClientRect(); actions({ x: place.left + 64, y: place.top + 40 }, conversation); }
    });
    return item;
  };

  const draw = () => {
    const wanted = sorted().filter((each) => !filter || titleOf(each).toLowerCase().includes(filter));
    if (!wanted.length) {
      entries.clear();
      box.replaceChildren(!model.isListLoaded ? h('div', { class: 'spinner', role: 'progressbar', 'aria-label': t('busy') })
        : filter ? empty('search', t('list.nothing'), null) : empty('chat', t('list.empty'), t('list.empty.text'), h('button', { type: 'button', class: 'button primary', onclick: app.newConversation }, t('new.direct'))));
      return;
    }
    // Rows that did not change stay: focus and hover stay with them.
    const focused = document.activeElement?.closest?.('.entry')?.getAttribute('href');
    const rows = wanted.map((conversation) => {
      const sign = JSON.stringify([conversation.unread, conversation.mentioned, conversation.isPinned, conversation.isMuted, conversation.digest, conversation.lastActivity, titleOf(conversation), conversation.avatar,
        conversation.with && person(conversation.with.name), conversation.digest?.sender && nameOf(person(conversation.digest.sender)), draftOf(conversation.id), app.current === conversation.id, conversation.memberCount]);
      const known = entries.get(conversation.id);
      if (known?.sign === sign) return known.row;
      const row = entry(conversation);
      entries.set(conversation.id, { sign, row });
      return row;
    });
    rows.forEach((row, index) => { if (box.children[index] !== row) box.insertBefore(row, box.children[index] ?? null); });
    while (box.children.length > rows.length) box.lastElementChild.remove();
    if (focused && document.activeElement === document.body) box.querySelector(`[href="${CSS.escape(focused).replace(/\\#|\\\//g, (each) => each[1])}"]`)?.focus();
  };
  const stop = on('list', draw);
  const timer = setInterval(() => { entries.clear(); draw(); }, 3_600_000);
  draw();
  return { box, draw, actions, entry, filter(text) { filter = text.trim().toLowerCase(); draw(); }, stop() { stop(); clearInterval(timer); } };
}
