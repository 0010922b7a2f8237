// Invitations: making them, and coming in by one.

import * as api from './api.js';
import { copyText } from './chat.js';
import { ask, dialog, h, icon } from './dom.js';
import { fullTime, moreTexts, t } from './i18n.js';
import { busy, failureLine, spinner } from './parts.js';
import { entryForm, field, mark, turnButton } from './sign-in.js';

await moreTexts();

const ends = [24, 72, 168, 720];
const isHereOnly = /^(localhost|127\.|\[::1\])/.test(location.hostname);

/// Invites people, one at a time: a link and its QR code, and the invitations that are still open.
export function invite({ isFirst } = {}) {
  dialog(t(isFirst ? 'invite.first' : 'invite'), t(isFirst ? 'invite.later' : 'close'), () => {
    const name = h('input', { class: 'input', id: 'invite-name', maxlength: '64', autocomplete: 'off' });
    const hours = h('select', { class: 'input', id: 'invite-hours' }, ends.map((each) => h('option', { value: String(each), selected: each === 72 }, t('invite.days', { count: each / 24 }))));
    const failure = failureLine();
    const make = h('button', { type: 'submit', class: 'button primary wide' }, t('invite.make'));
    const form = h('form', { class: 'section invite-form' }, h('div', { class: 'field' }, h('label', { for: 'invite-name' }, t('invite.name')), name),
      h('div', { class: 'field' }, h('label', { for: 'invite-hours' }, t('invite.end')), hours), failure, make);
    const shown = h('div', { class: 'section', hidden: true });
    const open = h('div', { class: 'section', hidden: true });

    const show = (made, who) => {
      const link = h('input', { class: 'input', readonly: true, value: made.address, 'aria-label': t('invite.link'), onfocus: () => link.select() });
      const code = h('img', { class: 'qr', src: made.qr, alt: t('invite.qr'), width: '224', height: '224' });
      code.addEventListener('error', () => code.remove());
      shown.replaceChildren(h('div', { class: 'ticket' }, h('strong', {}, who ? t('invite.for', { who }) : t('invite.forOne')), code, h('div', { class: 'link' }, link, h('button', { class: 'button', onclick: () => copyText(made.address) }, icon('copy'), t('invite.copy'))),
        h('p', { class: 'hint' }, t('invite.once', { time: fullTime(made.expires) })), isHereOnly && h('div', { class: 'banner' }, t('invite.hereOnly'))),
      h('button', { class: 'button', onclick: () => { shown.hidden = true; form.hidden = false; name.value = ''; name.focus(); } }, icon('plus'), t('invite.another')));
      shown.hidden = false;
      form.hidden = true;
      shown.querySelector('button').focus();
    };
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      busy(make, async () => {
        const displayName = name.value.trim();
        show(await api.post('invitations', { ...(displayName ? { displayName } : {}), hours: Number(hours.value), clientToken: crypto.getRandomValues(new Uint32Array(4)).join('') }), displayName);
        read();
      }, failure);
    });

    const row = (each) => {
      const withdraw = h('button', { class: 'button', onclick: async () => {
        if (await ask(t('invite.withdraw'), t('invite.withdraw.ask'), t('invite.withdraw'), t('cancel'), true)) busy(withdraw, async () => { try { await api.remove(`invitations/${api.segment(each.id)}`); shown.hidden = true; form.hidden = false; } finally { read(); } });
      } }, t('invite.withdraw'));
      return h('div', { class: 'set' }, h('div', { class: 'grow' }, h('div', { class: 'cut' }, each.displayName || each.name || t('invite.anyone')), h('div', { class: 'small quiet cut' }, t('invite.until', { time: fullTime(each.expires) }))), withdraw);
    };
    const read = async () => {
      try {
        const { items } = await api.get('invitations');
        open.hidden = !items.length;
        open.replaceChildren(h('h3', {}, t('invite.open', { count: items.length })), ...items.map(row));
      } catch (error) { open.hidden = false; open.replaceChildren(h('p', { class: 'error ui' }, error.message)); }
    };
    read();
    queueMicrotask(() => name.focus());
    return h('div', { class: 'body' }, isFirst && h('p', { class: 'quiet' }, t('invite.first.text')), form, shown, open);
  });
}

/// The screen of who was invited: fills `root`; `enter(session)` as at a sign-in, `leave()` to the sign-in or the chat.
export async function join(root, code, { enter, leave, turn, isSignedIn }) {
  const show = (...children) => root.replaceChildren(h('main', { class: 'signIn' }, h('div', { class: 'card' }, children)));
  show(spinner());
  const path = `invitations/${api.segment(code)}`;
  const toChat = (label) => h('button', { class: 'button wide', onclick: leave }, label);
  let invitation;
  try { invitation = await api.get(path); } catch (error) {
    const isOver = error.status === 404 || error.status === 410;
    show(mark(), h('h1', {}, t(isOver ? 'join.over' : 'join.title')), isOver ? h('p', { class: 'quiet' }, t('join.over.text')) : h('div', { class: 'banner bad', role: 'alert' }, error.message),
      isOver ? toChat(t(isSignedIn ? 'join.chat' : 'signIn.title')) : h('button', { class: 'button wide', onclick: () => join(root, code, { enter, leave, turn, isSignedIn }) }, t('again')));
    return;
  }
  document.title = invitation.server || 'teahouse';
  const form = entryForm(t('join.do'), [
    field('name', t('signIn.name'), { name: 'name', autocomplete: 'username', maxlength: '64', value: invitation.name ?? '', readonly: Boolean(invitation.name) }, invitation.name ? null : t('join.name.hint')),
    field('display-name', t('me.name'), { name: 'displayName', autocomplete: 'nickname', maxlength: '100', autocapitalize: 'words', required: false, value: invitation.displayName ?? '' }),
    invitation.passwordsAllowed === false ? h('div', { class: 'banner' }, t('join.noPassword')) : field('password', t('signIn.password'), { name: 'password', type: 'password', autocomplete: 'new-password', minlength: '10' }, t('setup.password.hint')),
  ], async (values, { elements }) => {
    const displayName = values.displayName.trim();
    try { await enter(await api.post(path, { name: values.name.trim(), ...(values.password ? { password: values.password } : {}), ...(displayName ? { displayName } : {}), device: 'web' })); } catch (error) {
      if (error.status === 410 || error.code === 'invitation_ended') { join(root, code, { enter, leave, turn, isSignedIn }); return; }
      const wrong = error.field && elements[error.field];
      if (wrong) { wrong.setAttribute('aria-invalid', 'true'); wrong.focus(); }
      throw error;
    }
  });
  show(mark(), h('div', {}, h('h1', {}, invitation.server || 'teahouse'), h('p', { class: 'quiet' }, invitation.from ? t('join.from', { who: invitation.from }) : t('join.text'))),
    isSignedIn && h('div', { class: 'banner', role: 'status' }, h('span', {}, t('join.signedIn'), ' ', h('button', { class: 'plain', onclick: leave }, t('join.chat')))),
    form, h('p', { class: 'hint' }, t('invite.until', { time: fullTime(invitation.expires) })),
    h('div', { class: 'foot' }, turnButton(turn),
      !invitation.name && !isSignedIn && h('button', { class: 'plain', onclick: leave }, t('join.known'))));
  form.elements[invitation.name ? 1 : 0].focus();
}
