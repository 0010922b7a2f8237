// What needs an encrypted connection, and the steps to one.

import { dialog, h, icon } from './dom.js';
import { moreTexts, t } from './i18n.js';

await moreTexts();

/// `first` says what was just asked for.
export function showSecure(first) {
  dialog(t('secure.title'), t('close'), () => {
    const address = `https://${location.host}/`;
    const step = (number, ...parts) => h('li', {}, h('span', { class: 'number', 'aria-hidden': 'true' }, String(number)), h('span', { class: 'grow' }, parts));
    const system = (name) => h('details', {}, h('summary', {}, t(`secure.on.${name}`)), h('p', { class: 'ui quiet' }, t(`secure.on.${name}.text`)));
    return h('div', { class: 'body' }, first && h('p', { class: 'banner' }, h('span', {}, first)), h('p', { class: 'ui' }, t('secure.text')),
      h('ol', { class: 'steps' },
        step(1, h('a', { class: 'button', href: '/ca.pem', download: 'teahouse-ca.pem' }, icon('save'), t('secure.load'))),
        step(2, h('span', {}, t('secure.trust')), ...['windows', 'mac', 'android', 'ios', 'linux'].map(system)),
        step(3, h('span', {}, t('secure.open'), ' '), h('a', { href: address }, address))),
      h('p', { class: 'hint' }, t('secure.check')));
  });
}
