// The list of conversations.

import * as api from './api.js';
import { h, icon, menu, toast, ask } from './dom.js';
import { fullTime, shortTime, t } from './i18n.js';
import { changed, draftOf, forgetConversation, model, nameOf, on, person, readMore, sorted, systemName, titleOf } from './model.js';
import { conversationAvatar, empty, spinner } from './parts.js';

function digest(conversation) {
  const line = conversation.digest;
  if (!line) return conversation.kind === 'group' ? t('list.members', { count: conversation.memberCount }) : '';
  // Lines of the group itself are nobody's words.
  const who = conversation.kind === 'direct' || !line.sender || line.sender === systemName ? null : line.sender === model.me.name ? t('you') : nameOf(person(line.sender));
  const text = line.text.replace(/\s+/gu, ' ');
  return who ? t('says', { who, text }) : text;
}

/// Rows above and below the screen.
const spare = 10;

/// `app.open(id)` shows a conversation; `app.current` is the one shown.
export function conversationList(app) {
  const box = h('nav', { class: 'list', 'aria-label': t('list.label') });
  const rows = h('ul', { class: 'all' });
  const turning = spinner();
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
      if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) { event.preventDefault(); const place = item.getBoundingClientRect(); actions({ x: place.left + 64, y: place.top + 40 }, conversation); }
    });
    return item;
  };

  // MARK: a window on the list: what is on the screen has rows, and what has the focus

  let all = [];
  let height = 72;
  const indexOf = (id) => all.findIndex((each) => each.id === id);
  const focusedID = () => box.contains(document.activeElement) ? document.activeElement.closest('li')?.dataset.id : null;
  const rowOf = (conversation) => {
    const sign = JSON.stringify([conversation.unread, conversation.mentioned, conversation.isPinned, conversation.isMuted, conversation.digest, conversation.lastActivity, titleOf(conversation), conversation.avatar,
      conversation.with && person(conversation.with.name), conversation.digest?.sender && nameOf(person(conversation.digest.sender)), draftOf(conversation.id), app.current === conversation.id, conversation.memberCount]);
    const known = entries.get(conversation.id);
    // Rows that did not change stay: focus and hover stay with them.
    if (known?.sign === sign) return known.row;
    const row = known?.row ?? h('li', { 'data-id': conversation.id });
    const hadFocus = row.contains(document.activeElement);
    row.replaceChildren(entry(conversation));
    if (hadFocus) row.firstChild.focus({ preventScroll: true });
    entries.set(conversation.id, { sign, row });
    return row;
  };
  const drawRows = () => {
    const from = Math.max(0, Math.floor(box.scrollTop / height) - spare);
    const to = Math.min(all.length, Math.ceil((box.scrollTop + innerHeight) / height) + spare);
    const focused = focusedID();
    const held = focused ? indexOf(focused) : -1;
    const wanted = [...(held >= 0 && held < from ? [held] : []), ...Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index), ...(held >= to ? [held] : [])];
    const shown = new Set(wanted.map((index) => all[index].id));
    for (const [id, { row }] of entries) if (!shown.has(id)) { row.remove(); entries.delete(id); }
    wanted.forEach((index, place) => {
      const row = rowOf(all[index]);
      row.style.top = `${index * height}px`;
      row.setAttribute('aria-posinset', index + 1);
      row.setAttribute('aria-setsize', filter || model.isListWhole ? all.length : -1);
      if (rows.children[place] !== row) rows.insertBefore(row, rows.children[place] ?? null);
    });
    if (focused && document.activeElement === document.body) entries.get(focused)?.row.firstChild.focus({ preventScroll: true });
    if (to > all.length - 2 * spare) readMore();
    drawJump(box.scrollTop / height, (box.scrollTop + box.clientHeight) / height);
  };

  /// The next unread conversation that is not on the screen, below or else above.
  let unreadAt = -1;
  const isFresh = (each) => each.unread > 0 && !each.isMuted;
  const drawJump = (top, bottom) => {
    unreadAt = box.hidden ? -1 : all.findIndex((each, index) => index >= bottom - 0.5 && isFresh(each));
    const isAbove = unreadAt < 0;
    if (isAbove && !box.hidden) unreadAt = all.findLastIndex((each, index) => index < top - 0.5 && isFresh(each));
    jump.hidden = unreadAt < 0;
    if (!jump.hidden) jump.replaceChildren(icon(isAbove ? 'up' : 'down'), t('list.more'));
  };
  const reveal = (index) => {
    if (index * height < box.scrollTop) box.scrollTop = index * height;
    else if ((index + 1) * height > box.scrollTop + box.clientHeight) box.scrollTop = (index + 1) * height - box.clientHeight;
    drawRows();
  };
  const focusAt = (index) => {
    if (!all.length) return;
    const at = Math.min(all.length - 1, Math.max(0, index));
    reveal(at);
    entries.get(all[at].id).row.firstChild.focus({ preventScroll: true });
  };
  const jump = h('button', { class: 'onward', hidden: true, onclick: () => focusAt(unreadAt) });
  box.addEventListener('keydown', (event) => {
    const page = Math.max(1, Math.floor(box.clientHeight / height) - 1);
    const at = event.target.matches('a.entry') && !event.altKey && !event.ctrlKey && !event.metaKey ? indexOf(focusedID()) : -1;
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: all.length - 1 }[event.key];
    if (at >= 0 && to !== undefined) { event.preventDefault(); focusAt(to); }
  });

  const draw = () => {
    all = sorted().filter((each) => !filter || titleOf(each).toLowerCase().includes(filter));
    if (!all.length) {
      entries.clear();
      rows.replaceChildren();
      jump.hidden = true;
      box.replaceChildren(!model.isListLoaded ? turning
        : filter ? empty('search', t('list.nothing'), null) : empty('chat', t('list.empty'), t('list.empty.text'), h('button', { class: 'button primary', onclick: app.newDirect }, t('new.direct'))));
      return;
    }
    rows.style.height = `${all.length * height}px`;
    if (box.firstChild !== rows) box.replaceChildren(rows);
    if (model.isListWhole || filter) turning.remove(); else box.append(turning);
    drawRows();
  };
  let isScrolled = false;
  box.addEventListener('scroll', () => {
    if (isScrolled) return;
    isScrolled = true;
    requestAnimationFrame(() => { isScrolled = false; drawRows(); });
  }, { passive: true });
  const resized = new ResizeObserver(() => { height = rows.firstElementChild?.offsetHeight || height; draw(); });
  resized.observe(box);
  const stop = on('list', draw);
  const timer = setInterval(() => { for (const each of entries.values()) each.sign = ''; draw(); }, 3_600_000);
  draw();
  return {
    box, jump, draw, actions, entry,
    filter(text) { filter = text.trim().toLowerCase(); box.scrollTop = 0; draw(); },
    /// The first entry on the screen takes the focus.
    enter() { focusAt(Math.ceil(box.scrollTop / height)); },
    stop() { stop(); clearInterval(timer); resized.disconnect(); },
  };
}
