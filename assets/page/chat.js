// One conversation: its head, a window on its messages, and the composer below.

import * as api from './api.js';
import { ask, h, icon, later, menu, toast, tool } from './dom.js';
import { clock, dayName, fullTime, sameDay, t } from './i18n.js';
import { attachmentView, placeView } from './media.js';
import { loadOptions, optionsOf } from './options.js';
import { changed, digestOf, giveUp, isRead, leaveRun, loadMessages, markRead, model, nameOf, on, pendingOf, person, runOf, sendAgain, takeMessage, titleOf, watchPeople } from './model.js';
import { avatar, conversationAvatar, empty, isBigEmoji, personAvatar, richText, spinner } from './parts.js';
import { composer } from './composer.js';

const windowRows = 120;
const windowStep = 40;
const nearEdge = 800;
const togetherFor = 300_000;
const longPress = 450;
export const quickReactions = ['👍', '❤️', '😂', '🎉', '😮', '🙏'];
const moreReactions = ['👌', '👏', '💪', '🔥', '✅', '❌', '👀', '🤔', '😅', '😊', '😭', '😡', '🥳', '😎', '🤝', '💯', '🌹', '☕', '🍵', '🚀'];

export function copyText(text) {
  if (isSecureContext && navigator.clipboard) { navigator.clipboard.writeText(text).then(() => toast(t('copied')), (error) => toast(error.message)); return; }
  const area = h('textarea', { class: 'unseen', value: text, 'aria-hidden': 'true' });
  const before = document.activeElement;
  (before?.closest?.('dialog') ?? document.body).append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
  before?.focus?.({ preventScroll: true });
  toast(t('copied'));
}

export function conversationView(app, id, place, around) {
  const run = runOf(id);
  const conversation = () => model.conversations.get(id);
  const rows = h('div', { class: 'rows', role: 'log', 'aria-live': 'off', 'aria-label': t('chat.messages') });
  const flow = h('div', { class: 'flow', tabindex: '0', role: 'region', 'aria-label': t('chat.messages') }, rows);
  const jump = h('button', { class: 'jump', hidden: true });
  const nodes = new Map();
  let fromID = null;
  let range = [0, 0];
  let isSticky = true;
  let newAfter = null;
  let target = null;
  let isPlaced = false;
  let isDrawing = false;
  let heldAt = 0;
  let options = optionsOf(id);
  const load = (where) => loadMessages(id, where, options.pageSize);

  // MARK: rows

  const items = () => run.hasAfter ? run.items : [...run.items, ...pendingOf(id).filter((item) => !run.items.some((each) => each.clientToken === item.clientToken && each.sender === model.me.name))];
  const keyOf = (item) => item.clientToken && (item.body || item.sender === model.me.name) ? `t${item.clientToken}` : `m${item.id}`;

  const wanted = (all) => {
    const out = [];
    const isGroup = options.showsNames;
    if (range[0] === 0 && !run.hasBefore && all.length) out.push({ key: 'begin', sign: 'begin', make: () => h('div', { class: 'mark-row' }, h('span', {}, t('chat.begin'))) });
    let isNewShown = false;
    for (let index = range[0]; index < range[1]; index += 1) {
      const item = all[index];
      const before = all[index - 1];
      const after = all[index + 1];
      const isMine = item.body !== undefined || item.sender === model.me.name;
      const isFirstOfDay = !before || !sameDay(before.time, item.time);
      if (isFirstOfDay) out.push({ key: `d${new Date(item.time).toDateString()}`, sign: dayName(item.time), make: () => h('div', { class: 'mark-row' }, h('span', {}, dayName(item.time))) });
      const isLater = !isFirstOfDay && item.time - before.time > options.timeGap;
      if (isLater) out.push({ key: `g${keyOf(item)}`, sign: clock(item.time), make: () => h('div', { class: 'mark-row' }, h('span', {}, clock(item.time))) });
      const isNewLine = newAfter !== null && !isNewShown && !item.body && item.sequence > newAfter && !isMine;
      if (isNewLine) { isNewShown = true; out.push({ key: 'new', sign: 'new', make: () => h('div', { class: 'mark-row new' }, h('span', {}, t('chat.new'))) }); }
      if (item.kind === 'system') { out.push({ key: keyOf(item), item, sign: item.stamp, make: () => h('div', { class: 'mark-row' }, h('span', {}, item.text ?? '')) }); continue; }
      const joins = (one, other) => one && other && (one.sender ?? model.me.name) === (other.sender ?? model.me.name) && one.kind !== 'system' && other.kind !== 'system' && Math.abs(other.time - one.time) <= Math.min(togetherFor, options.timeGap) && sameDay(one.time, other.time);
      const isFirst = isNewLine || isFirstOfDay || !joins(before, item);
      const isLast = !joins(item, after);
      const sender = person(item.sender ?? model.me.name);
      const reading = isMine && !item.body && options.showsReaders && isRead(item, run);
      out.push({ key: keyOf(item), item, sign: [item.stamp, item.state, isFirst, isLast, reading, isGroup, options.avatars, options.marksUnplayed, options.showsReaders, nameOf(sender), sender.avatar, item.replyTo && nameOf(person(item.replyTo.sender)), item.id === target].join('|'), make: () => row(item, { isMine, isFirst, isLast, isGroup, sender, reading }) });
    }
    return out;
  };

  const face = (sender) => h('button', { class: 'plain', tabindex: '-1', 'aria-label': nameOf(sender), onclick: () => showPerson(sender.name) }, personAvatar({ ...sender, isOnline: false }, 's36'));
  const row = (item, { isMine, isFirst, isLast, isGroup, sender, reading }) => {
    const message = item.body ? { ...item.body, time: item.time, replyTo: item.body.replyTo ? run.byID.get(item.body.replyTo) : null } : item;
    const isGone = message.kind === 'recalled' || message.kind === 'withheld';
    const state = item.body ? item.state === 'failed' ? ['warn', 'state.failed'] : ['clock', 'state.waiting'] : reading ? ['read', 'state.read'] : ['check', 'state.sent'];
    const meta = h('span', { class: 'meta' }, message.isPinned && icon('pin'), message.isEdited && !isGone && h('span', {}, t('message.edited')),
      h('time', { datetime: new Date(message.time).toISOString(), title: fullTime(message.time) }, clock(message.time)),
      isMine && !isGone && h('span', { class: reading ? 'read' : '', title: t(state[1]) }, icon(state[0]), h('span', { class: 'unseen' }, t(state[1]))));
    const bubble = h('div', { class: `bubble${isGone ? ' hollow' : ''}` });
    if (isGone) {
      const who = message.recalledBy ?? message.sender;
      bubble.append(h('span', { class: 'gone-text' }, message.kind === 'withheld' ? t('message.withheld') : who === model.me.name ? t('message.recalled.me') : t('message.recalled', { who: nameOf(person(who)) })), meta);
    } else {
      if (message.replyTo) bubble.append(quote(message.replyTo));
      bubble.append(...content(message), meta);
    }
    const reactions = message.reactions?.length ? h('div', { class: 'reactions' }, message.reactions.map((each) =>
      h('button', { class: 'chip', 'aria-pressed': String(each.isMine), 'aria-label': t(each.isMine ? 'react.withdraw' : 'react.join', { emoji: each.emoji, count: each.count }), onclick: () => react(item, each.emoji, !each.isMine), disabled: !item.can?.react && !each.isMine }, h('span', {}, each.emoji), String(each.count)))) : null;
    const failed = item.state === 'failed' && h('div', { class: 'failed', role: 'alert' }, h('span', {}, item.error), h('button', { class: 'plain', onclick: () => sendAgain(item) }, t('again.send')), h('button', { class: 'plain', onclick: () => giveUp(item) }, t('discard')));
    const element = h('div', { class: `row message${isMine ? ' mine' : ''}${isFirst ? ' first' : ''}${isLast ? ' last' : ''}${item.id && item.id === target ? ' target' : ''}`, role: 'article', tabindex: '-1', 'data-id': item.id ?? '', 'aria-label': `${isMine ? t('you') : nameOf(sender)}, ${clock(message.time)}` },
      !isMine && options.avatars !== 'none' && (isFirst ? face(sender) : h('span')),
      h('div', { class: 'stack' }, !isMine && isFirst && isGroup && h('div', { class: 'author cut', hue: hueOf(sender.name) }, nameOf(sender)), bubble, reactions, failed),
      isMine && options.avatars === 'all' && (isFirst ? face(sender) : h('span')));
    element.addEventListener('contextmenu', (event) => {
      if (event.target.closest('a, video, audio, .menu') || String(getSelection())) return;
      event.preventDefault();
      if (Date.now() - heldAt > 1500) actions({ x: event.clientX, y: event.clientY }, item);
    });
    // Not every phone takes a long press for a context menu.
    element.addEventListener('pointerdown', (event) => {
      if (event.pointerType !== 'touch' || event.target.closest('a, button, video, audio')) return;
      const timer = setTimeout(() => { heldAt = Date.now(); actions({ x: event.clientX, y: event.clientY }, item); }, longPress);
      for (const name of ['pointerup', 'pointercancel']) element.addEventListener(name, () => clearTimeout(timer), { once: true });
    });
    element.addEventListener('pointerenter', (event) => { if (event.pointerType === 'mouse') showTools(element, item); });
    element.addEventListener('pointerleave', hideTools);
    return element;
  };

  const hueOf = (name) => avatarHue(name);

  const quote = (reply) => h('button', { class: 'reply-quote', onclick: () => { if (reply.sequence) view.jump(reply.sequence); else if (run.byID.has(reply.id)) view.jump(run.byID.get(reply.id).sequence); } },
    h('b', { class: 'cut' }, reply.sender === model.me.name ? t('you') : nameOf(person(reply.sender))), h('span', {}, reply.text || digestOf(reply)));

  const content = (message) => {
    const parts = [];
    if (message.attachment) parts.push(attachmentView(message, { whenSized: stick, options, isMine: message.sender === model.me.name || !message.sender }));
    if (message.place) parts.push(placeView(message.place));
    if (message.card) parts.push(h('button', { class: 'file', onclick: () => message.card.name && showPerson(message.card.name) }, personAvatar(message.card.name ? person(message.card.name) : { name: String(message.card.displayName ?? '?') }, 's40'), h('span', { class: 'grow' }, h('span', { class: 'name cut' }, message.card.displayName ?? (message.card.name ? nameOf(person(message.card.name)) : t('kind.card'))), h('span', { class: 'size' }, t('kind.card')))));
    if (message.kind === 'forwarded') parts.push(h('div', { class: 'card-box' }, h('span', { class: 'kind' }, t('kind.forwarded')), (message.items ?? []).slice(0, 5).map((each) => h('span', { class: 'line cut' }, t('says', { who: nameOf(person(each.sender)), text: each.text ?? t(`kind.${each.kind}`) }))), (message.items?.length ?? 0) > 5 && h('span', { class: 'kind' }, t('forwarded.more', { count: message.items.length - 5 }))));
    if (message.kind === 'custom') {
      const box = h('div', { class: 'card-box' }, h('span', { class: 'kind' }, t('kind.custom')), h('span', {}, message.custom?.degrade ?? t('message.unknown')));
      if (message.custom) import('./kinds.js').then((module) => module.drawCustom(box, message.custom, stick)).catch(() => {});
      parts.push(box);
    }
    else if (message.text) parts.push(h('span', { class: `text${isBigEmoji(message.text) ? ' big' : ''}` }, richText(message.text, { mentions: message.mentions })));
    if (!parts.length) parts.push(h('span', { class: 'quiet' }, t(`kind.${message.kind}`)));
    return parts;
  };

  // MARK: drawing

  const draw = () => {
    if (isDrawing) return;
    isDrawing = true;
    run.isFollowed = isSticky;
    const all = items();
    if (isSticky && !run.hasAfter && isPlaced) range = [Math.max(0, all.length - windowRows), all.length];
    else {
      const at = fromID ? all.findIndex((each) => keyOf(each) === fromID) : Math.max(0, all.length - windowRows);
      const from = Math.max(0, at);
      range = [from, Math.min(all.length, from + windowRows)];
    }
    fromID = all[range[0]] ? keyOf(all[range[0]]) : null;
    const edge = flow.getBoundingClientRect().top;
    const anchor = isSticky ? null : [...rows.children].find((each) => each.dataset.key && each.getBoundingClientRect().bottom > edge);
    const anchorTop = anchor?.getBoundingClientRect().top;
    const next = wanted(all);
    const keys = new Set();
    let at = rows.firstElementChild;
    let focused = null;
    for (const each of next) {
      keys.add(each.key);
      let known = nodes.get(each.key);
      if (!known || known.sign !== each.sign) {
        const hadFocus = known?.node.contains(document.activeElement) && document.activeElement === known.node;
        const node = each.make();
        node.dataset.key = each.key;
        node.message = each.item;
        if (known) { if (at === known.node) at = at.nextElementSibling; known.node.replaceWith(node); }
        known = { sign: each.sign, node };
        nodes.set(each.key, known);
        if (hadFocus) focused = node;
      }
      known.node.message = each.item;
      if (known.node === at) at = at.nextElementSibling; else rows.insertBefore(known.node, at);
    }
    // After it stands where it belongs: what is moved loses the focus.
    focused?.focus({ preventScroll: true });
    for (const [key, known] of nodes) if (!keys.has(key)) { known.node.remove(); nodes.delete(key); }
    extras(all);
    if (anchor) {
      const same = nodes.get(anchor.dataset.key)?.node;
      if (same) flow.scrollTop += same.getBoundingClientRect().top - anchorTop;
    }
    if (!isPlaced && run.isLoaded) placeFirst(all);
    else stick();
    isDrawing = false;
    // At the very top no further scrolling would tell that there is more above.
    if (isPlaced && !isSticky && range[0] > 0 && flow.scrollTop < 8) { fromID = keyOf(all[Math.max(0, range[0] - windowStep)]); draw(); return; }
    if (isPlaced && run.hasBefore && !run.isLoading && !run.isHeld && !run.error && rows.scrollHeight <= flow.clientHeight) { anchorFirst(); load({ before: run.from }); }
    drawJump();
    seen();
  };

  const turning = spinner();
  const extras = (all) => {
    for (const each of rows.querySelectorAll(':scope > .empty, :scope > .earlier')) each.remove();
    turning.remove();
    if (run.error) rows.prepend(h('div', { class: 'empty' }, h('span', { class: 'error' }, run.error.message), h('button', { class: 'button', onclick: () => { load(); } }, t('again'))));
    else if (run.isHeld) rows.prepend(h('button', { class: 'button earlier', onclick: () => { run.isHeld = false; load({ before: run.from }); } }, t('chat.earlier')));
    else if (run.isLoading && !all.length) rows.prepend(turning);
    else if (run.isLoaded && !all.length) rows.prepend(empty('chat', t('chat.empty'), t('chat.empty.text')));
  };

  const placeFirst = (all) => {
    isPlaced = true;
    if (target) {
      const found = all.find((each) => each.id === target);
      if (found) { show(found, 'center'); return; }
    }
    const line = nodes.get('new')?.node;
    if (line && line.getBoundingClientRect().top < flow.getBoundingClientRect().top + 8) { line.scrollIntoView({ block: 'start' }); isSticky = false; return; }
    isSticky = !run.hasAfter;
    stick();
  };

  function stick() { if (isSticky && isPlaced) flow.scrollTop = flow.scrollHeight; }

  const show = (item, block) => {
    const all = items();
    const at = all.indexOf(item);
    isSticky = false;
    if (at < range[0] || at >= range[1]) { fromID = keyOf(all[Math.max(0, at - windowRows / 2)]); isDrawing = false; draw(); }
    nodes.get(keyOf(item))?.node.scrollIntoView({ block });
  };

  const view = {
    focus() { write?.focus(); },
    toEnd() { toEnd(); },
    /// Sequence of the message in the middle of the screen; `null` at the newest one.
    position() {
      if (isSticky && !run.hasAfter) return null;
      const { top, height } = flow.getBoundingClientRect();
      return [...rows.children].findLast((each) => each.message?.sequence && each.getBoundingClientRect().top < top + height / 2)?.message.sequence ?? null;
    },
    async jump(sequence) {
      await quiet();
      if (!run.items.some((each) => each.sequence === sequence)) { isSticky = false; fromID = null; await load({ around: sequence }); }
      const found = run.items.find((each) => each.sequence === sequence);
      if (!found) { toast(t('message.notThere')); return; }
      target = found.id;
      isPlaced = true;
      drawBack();
      draw();
      show(found, 'center');
      nodes.get(keyOf(found))?.node.focus({ preventScroll: true });
    },
    stop() { for (const each of stops) each(); resized.disconnect(); write?.stop(); hideTools(); place.replaceChildren(); leaveRun(id); },
  };

  const back = h('button', { class: 'jump return', hidden: true, onclick: () => { const to = app.returnTo; app.returnTo = null; drawBack(); if (to) app.open(to.id, to.sequence); } }, icon('undo'), t('search.back'));
  const drawBack = () => { back.hidden = !app.returnTo; };

  /// What is being read has come: a second question would not be asked meanwhile.
  const quiet = async () => { for (let turns = 0; run.isLoading && turns < 100; turns += 1) await new Promise((resolve) => setTimeout(resolve, 50)); };
  const toEnd = async () => {
    app.returnTo = null;
    drawBack();
    await quiet();
    if (run.hasAfter) { fromID = null; await load(); }
    isSticky = true;
    draw();
    stick();
  };

  const drawJump = () => {
    const unread = conversation()?.unread ?? 0;
    jump.hidden = isSticky || (!run.hasAfter && flow.scrollHeight - flow.scrollTop - flow.clientHeight < 240);
    if (!jump.hidden) jump.replaceChildren(icon('down'), ...(unread ? [h('span', { class: 'count' }, String(unread))] : []), h('span', { class: 'unseen' }, t('chat.toEnd')));
  };
  jump.addEventListener('click', toEnd);

  let scrollBusy = false;
  let lastTop = 0;
  flow.addEventListener('scroll', () => {
    if (scrollBusy) return;
    scrollBusy = true;
    requestAnimationFrame(() => {
      scrollBusy = false;
      if (!isPlaced) return;
      const rest = flow.scrollHeight - flow.scrollTop - flow.clientHeight;
      const all = items();
      // What grows below is no scrolling of the reader's: only going up lets go of the end.
      if (rest < 48 && range[1] === all.length && !run.hasAfter) isSticky = true; else if (flow.scrollTop < lastTop - 1 || run.hasAfter) isSticky = false;
      run.isFollowed = isSticky;
      lastTop = flow.scrollTop;
      if (flow.scrollTop < nearEdge && range[0] > 0) { isSticky = false; fromID = keyOf(all[Math.max(0, range[0] - windowStep)]); draw(); }
      else if (flow.scrollTop < nearEdge && run.hasBefore && !run.isLoading && !run.isHeld && !run.error) { anchorFirst(); load({ before: run.from }); }
      else if (rest < nearEdge && range[1] < all.length) { fromID = keyOf(all[Math.min(range[0] + windowStep, all.length - 1)]); draw(); }
      else if (rest < nearEdge && run.hasAfter && !run.isLoading && !run.error) load({ after: run.to });
      drawJump();
      seen();
    });
  }, { passive: true });
  const anchorFirst = () => { const first = run.items[0]; fromID = first ? keyOf(first) : null; };

  /// What is on the screen was read.
  const seen = later(250, () => {
    if (document.visibilityState !== 'visible' || !document.hasFocus() || !isPlaced || !conversation()) return;
    const bottom = flow.getBoundingClientRect().bottom;
    let sequence = 0;
    for (const each of rows.children) if (each.message?.sequence && each.getBoundingClientRect().top < bottom - 8) sequence = Math.max(sequence, each.message.sequence);
    if (isSticky && !run.hasAfter && !run.isHeld) sequence = Math.max(sequence, conversation().headSequence);
    if (sequence) markRead(id, sequence);
  });

  // MARK: what one can do with a message

  const bar = h('div', { class: 'tools', role: 'group', 'aria-label': t('message.actions') });
  const showTools = (element, item) => {
    if (!item.id || item.kind === 'recalled' || item.kind === 'withheld') return;
    bar.replaceChildren(...[
      item.can?.react && tool('smile', t('react'), () => pickReaction(bar, item), { tabindex: '-1' }),
      canSend() && tool('reply', t('reply'), () => write?.reply(item), { tabindex: '-1' }),
      tool('more', t('more'), () => actions(bar, item), { tabindex: '-1' }),
    ].filter(Boolean));
    (element.querySelector('.bubble') ?? element).append(bar);
  };
  const hideTools = () => { if (!document.querySelector('.menu')) bar.remove(); };
  const canSend = () => conversation()?.rights?.send === true;

  const change = async (path, run) => { try { const answer = await run(path); if (answer?.id) takeMessage(answer); } catch (error) { toast(error.message); } };
  const path = (item, more = '') => `messages/${api.segment(item.id)}${more}`;
  const react = (item, emoji, isOn) => change(path(item, `/reactions/${api.segment(emoji)}`), isOn ? (p) => api.put(p) : (p) => api.remove(p));

  const reactionButtons = (item, all, close) => all.map((emoji) => h('button', { role: 'menuitem', 'aria-label': emoji, onclick: () => { close(); react(item, emoji, !item.reactions?.some((each) => each.emoji === emoji && each.isMine)); } }, emoji));
  const pickReaction = (anchor, item) => {
    let close = () => {};
    close = menu(anchor, [h('div', { class: 'emoji' }, reactionButtons(item, [...quickReactions, ...moreReactions], () => close()))], t('react'));
  };

  const isStill = (until) => until === true || (typeof until === 'number' && until > Date.now());
  const actions = (anchor, item) => {
    if (item.body) { menu(anchor, [item.state === 'failed' && { icon: 'again', label: t('again.send'), run: () => sendAgain(item) }, { icon: 'bin', label: t('discard'), danger: true, run: () => giveUp(item) }], t('message.actions')); return; }
    const isGone = item.kind === 'recalled' || item.kind === 'withheld';
    const isMine = item.sender === model.me.name;
    let close = () => {};
    close = menu(anchor, [
      item.can?.react && !isGone && h('div', { class: 'quick', role: 'group', 'aria-label': t('react') }, reactionButtons(item, quickReactions, () => close()), h('button', { role: 'menuitem', 'aria-label': t('react.more'), onclick: () => pickReaction(anchor, item) }, '⋯')),
      item.can?.react && !isGone && 'line',
      !isGone && canSend() && { icon: 'reply', label: t('reply'), run: () => write?.reply(item) },
      !isGone && { icon: 'forward', label: t('forward'), run: async () => (await import('./select.js')).forward(item) },
      item.text && !isGone && { icon: 'copy', label: t('copy'), run: () => copyText(item.text) },
      isStill(item.can?.edit) && item.kind === 'text' && { icon: 'edit', label: t('edit'), run: () => write?.edit(item) },
      item.can?.pin && !isGone && { icon: 'pin', label: t(item.isPinned ? 'message.unpin' : 'message.pin'), run: () => change(path(item, '/pin'), item.isPinned ? (p) => api.remove(p) : (p) => api.put(p)) },
      isMine && !isGone && options.showsReaders && { icon: 'read', label: t('receipts'), run: async () => (await import('./people.js')).receipts(item) },
      'line',
      isStill(item.can?.recall) && { icon: 'undo', label: t('recall'), danger: true, run: async () => { if (await ask(t('recall'), t('recall.ask'), t('recall'), t('cancel'), true)) change(path(item, '/recall'), (p) => api.post(p)); } },
      { icon: 'bin', label: t('delete'), danger: true, run: () => deleteForMe(item) },
    ], t('message.actions'));
  };
  const deleteForMe = async (item) => {
    if (!await ask(t('delete'), t('delete.ask'), t('delete'), t('cancel'), true)) return;
    try {
      await api.remove(path(item));
      run.byID.delete(item.id);
      run.items = run.items.filter((each) => each.id !== item.id);
      changed(`messages:${id}`);
    } catch (error) { toast(error.message); }
  };
  const showPerson = async (name) => (await import('./people.js')).showPerson(app, name);

  flow.addEventListener('keydown', (event) => {
    const messages = [...rows.querySelectorAll('.row')];
    const current = document.activeElement?.closest?.('.row');
    if (event.key === 'ArrowUp' || event.key === 'ArrowDown') {
      if (event.target.closest('video, audio, .menu')) return;
      event.preventDefault();
      const at = messages.indexOf(current);
      const next = at < 0 ? messages.at(-1) : messages[at + (event.key === 'ArrowUp' ? -1 : 1)];
      if (next) { next.focus({ preventScroll: true }); next.scrollIntoView({ block: 'nearest' }); } else if (event.key === 'ArrowDown') write?.focus();
    } else if ((event.key === 'Enter' || event.key === ' ' || event.key === 'ContextMenu') && current && event.target === current) {
      event.preventDefault();
      const box = current.querySelector('.bubble').getBoundingClientRect();
      actions({ x: box.left, y: Math.min(box.bottom, innerHeight - 40) }, current.message);
    } else if (event.key === 'End' && !current) { event.preventDefault(); toEnd(); }
  });

  // MARK: head

  const head = h('header', {});
  const drawHead = () => {
    const value = conversation();
    if (!value) { head.replaceChildren(tool('back', t('back'), app.close, { class: 'tool back' })); return; }
    const typing = [...(model.typing.get(id)?.keys() ?? [])];
    const peer = value.with && (model.people.get(value.with.name) ?? value.with);
    const state = typing.length ? value.kind === 'direct' ? t('typing') : t('typing.who', { who: typing.slice(0, 2).map((name) => nameOf(person(name))).join(t('and')) })
      : value.kind === 'direct' ? peer?.isOnline === true ? t('online') : peer?.isOnline === false ? t('away') : '' : t('list.members', { count: value.memberCount });
    const focused = head.contains(document.activeElement) && document.activeElement.getAttribute('aria-label');
    head.replaceChildren(tool('back', t('back'), app.close, { class: 'tool back' }),
      h('button', { class: 'who', 'aria-label': t('card.open', { title: titleOf(value) }), onclick: async () => (await import('./card.js')).conversationCard(app, id) },
        conversationAvatar(value, 's40'), h('span', { class: 'grow' }, h('h2', { class: 'cut' }, titleOf(value)), h('span', { class: 'state cut' }, state))),
      tool('search', t('search.this'), () => app.search(id)));
    if (focused) head.querySelector(`[aria-label="${CSS.escape(focused)}"]`)?.focus();
    write?.draw();
  };

  // MARK: its life

  let write = null;
  const drop = h('div', { class: 'drop', hidden: true }, t('drop'));
  // It stands above the field, however many lines that has.
  place.replaceChildren(head, flow, back, h('div', { class: 'float' }, jump), drop);
  write = composer({ id, place, drop, options: () => options, editLast: () => {
    const last = run.items.findLast((each) => each.sender === model.me.name && each.kind === 'text' && isStill(each.can?.edit));
    if (last) write.edit(last);
  } });
  place.append(write.element);
  const resized = new ResizeObserver(() => { stick(); drawJump(); });
  resized.observe(rows);
  resized.observe(flow);
  // The operator may have set something for this conversation.
  const optionsSoon = later(1000, () => loadOptions(id).catch(() => {}));
  const stops = [on(`messages:${id}`, draw), on(`options:${id}`, optionsSoon), () => optionsSoon.stop(), on(`sent:${id}`, () => { newAfter = null; toEnd(); }), on('person', () => { draw(); drawHead(); }), on(`conversation:${id}`, () => { if (!conversation() && model.isListLoaded) { app.close(); return; } takeOptions(); drawHead(); open(); }), on(`typing:${id}`, drawHead), on('online', () => watch()),
    on('connection', () => { write?.draw(); if (model.connection === 'online' && run.error) load(run.isLoaded && run.items.length && !run.isKept ? { before: run.from } : {}); })];
  const focus = () => seen();
  addEventListener('focus', focus);
  document.addEventListener('visibilitychange', focus);
  stops.push(() => { removeEventListener('focus', focus); document.removeEventListener('visibilitychange', focus); });

  const takeOptions = () => {
    options = optionsOf(id);
    place.classList.toggle('compact', options.isCompact);
    place.dataset.avatars = options.avatars;
    write?.draw();
  };
  const watch = () => { const peer = conversation()?.with; if (peer) watchPeople([peer.name]); };
  let isOpened = false;
  const open = async () => {
    if (isOpened || !conversation()) return;
    isOpened = true;
    newAfter = conversation().unread > 0 ? conversation().readSequence : null;
    // What holds here is known before the first message is asked for; a slow answer is not waited for.
    const known = loadOptions(id).catch(() => {});
    if (!model.configurations.has(id)) await Promise.race([known, new Promise((resolve) => setTimeout(resolve, 1000))]);
    const value = conversation();
    if (!value || !place.contains(flow)) return;
    takeOptions();
    watch();
    if (around) { isPlaced = true; isSticky = false; view.jump(around); return; }
    if (run.isLoaded && !run.hasAfter && !run.isKept) { draw(); return; }
    if (!options.fetchesOnEntry) { Object.assign(run, { isLoaded: true, isHeld: true, hasBefore: true, from: value.headSequence + 1 }); draw(); return; }
    load(value.unread > options.pageSize * 0.8 ? { around: value.readSequence } : {});
  };
  takeOptions();
  drawHead();
  open();
  draw();
  if (innerWidth > 760) write.focus();
  return view;
}

function avatarHue(name) { return avatar({ name, key: name }).style.getPropertyValue('--hue'); }
