// The first screen: the first administrator, then sign-in.

import * as api from './api.js';
import { h } from './dom.js';
import { language, t } from './i18n.js';
import { busy, failureLine, spinner } from './parts.js';

export const field = (id, label, properties, hint) => h('div', { class: 'field' }, h('label', { for: id }, label),
  h('input', { id, class: 'input', autocapitalize: 'none', spellcheck: 'false', required: true, 'aria-describedby': hint ? `${id}-hint` : null, ...properties }),
  hint && h('span', { class: 'hint', id: `${id}-hint` }, hint));

export const mark = () => h('img', { class: 'mark', src: new URL('icon.svg', import.meta.url).pathname, alt: '' });

export const turnButton = (turn) => {
  const other = language === 'zh' ? 'en' : 'zh';
  return h('button', { class: 'plain', lang: other === 'zh' ? 'zh-Hans' : 'en', onclick: () => turn(other) }, other === 'zh' ? '中文' : 'English');
};

/// A form whose values go to `run` once none is missing that must be there; `label` is what its button says.
export function entryForm(label, fields, run) {
  const failure = failureLine('banner bad');
  const submit = h('button', { type: 'submit', class: 'button primary wide' }, label);
  const form = h('form', { novalidate: true }, fields, failure, submit);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const missing = [...form.elements].find((each) => each.required && !each.value.trim());
    for (const each of form.elements) if (each.required) each.setAttribute('aria-invalid', String(each === missing));
    if (missing) missing.focus(); else busy(submit, () => run(Object.fromEntries(new FormData(form)), form), failure);
  });
  return form;
}

/// Fills `root`; `enter(session)` is called with `{token}`, `turn()` after another language was chosen.
export async function signIn(root, { enter, turn, note }) {
  root.replaceChildren(h('main', { class: 'signIn' }, h('div', { class: 'card' }, spinner())));
  let welcome;
  try {
    welcome = await api.get('welcome');
  } catch (error) {
    root.replaceChildren(h('main', { class: 'signIn' }, h('div', { class: 'card' },
      h('h1', {}, t('signIn.title')), h('div', { class: 'banner bad', role: 'alert' }, error.message),
      h('button', { class: 'button', onclick: () => signIn(root, { enter, turn, note }) }, t('again')))));
    return;
  }
  document.title = welcome.server || 'teahouse';
  const isSetup = welcome.needsSetup;
  // The first administrator is made on the server itself or over TLS, wherever passwords are taken after that.
  const closed = (isSetup ? isSecureContext : welcome.passwordsAllowed) ? null : t(isSetup ? 'setup.elsewhere' : 'signIn.noPasswords');
  const form = entryForm(t(isSetup ? 'setup.do' : 'signIn.do'), [
    isSetup && field('setup-token', t('setup.token'), { name: 'setup', autocomplete: 'off' }, t('setup.token.hint')),
    field('name', t('signIn.name'), { name: 'name', autocomplete: 'username', maxlength: '64' }),
    field('password', t('signIn.password'), { name: 'password', type: 'password', autocomplete: isSetup ? 'new-password' : 'current-password', minlength: isSetup ? 10 : null }, isSetup && t('setup.password.hint')),
  ], async (values) => {
    const [name, { password }] = [values.name.trim(), values];
    if (isSetup) {
      try { await api.post('setup', { token: values.setup.trim(), name, password }); } catch (error) {
        if (error.status === 404) { signIn(root, { enter, turn, note }); return; }
        // What goes wrong here has no code and is in English alone.
        const known = { 400: 'setup.password.no', 403: 'setup.token.no' }[error.status];
        throw known ? new api.Problem(error.status, known, t(known)) : error;
      }
    }
    await enter(await api.post('sessions', { name, password, device: 'web' }), isSetup);
  });
  root.replaceChildren(h('main', { class: 'signIn' }, h('div', { class: 'card' },
    mark(),
    h('div', {}, h('h1', {}, isSetup ? t('setup.title') : welcome.server || t('signIn.title')), h('p', { class: 'quiet ui' }, t(isSetup ? 'setup.text' : 'signIn.text'))),
    note && h('div', { class: 'banner', role: 'status' }, note),
    closed ? h('div', { class: 'banner', role: 'status' }, closed) : form,
    h('div', { class: 'foot' }, turnButton(turn),
      !isSecureContext && h('button', { class: 'plain', onclick: async () => (await import('./secure.js')).showSecure(closed) }, t('signIn.secure'))))));
  if (!closed) form.elements[0].focus();
}
