// Pictures, voice, video and files of messages. Contents come with the token, so they are shown as blobs.

import * as api from './api.js';
import { dialog, h, icon, toast, tool } from './dom.js';
import { size, t } from './i18n.js';
import { model } from './model.js';
import { spinner } from './parts.js';

const widest = 320;
const highest = 320;
/// Bytes of a picture that is loaded without being asked for.
const unasked = 12_000_000;

// Voice messages that were played here, the newest of them.
const playedKey = () => `teahouse.played.${model.me?.name}`;
const mostPlayed = 1000;
const playedIDs = () => { try { return JSON.parse(localStorage.getItem(playedKey())) ?? []; } catch { return []; } };
const notePlayed = (id) => { const ids = playedIDs(); if (id && !ids.includes(id)) localStorage.setItem(playedKey(), JSON.stringify([...ids, id].slice(-mostPlayed))); };

export function attachmentView(message, { whenSized, options, isMine }) {
  const { attachment, kind } = message;
  if (kind === 'picture') return picture(attachment, whenSized);
  if (kind === 'voice' || kind === 'video') return player(message, { whenSized, options, isMine });
  return file(attachment);
}

function picture(attachment, whenSized) {
  const button = h('button', { class: 'picture', 'aria-label': t('picture.open', { name: attachment.name ?? '' }), onclick: () => lightbox(attachment) });
  const { width, height } = attachment;
  if (width > 0 && height > 0) {
    const scale = Math.min(1, widest / width, highest / height);
    button.style.width = `${Math.max(64, Math.round(width * scale))}px`;
    button.style.aspectRatio = `${width} / ${height}`;
  } else { button.style.width = '240px'; button.style.aspectRatio = '4 / 3'; }
  const source = attachment.thumbnail ?? attachment.url;
  const load = () => api.content(source).then((url) => {
    const image = h('img', { src: url, alt: attachment.name ?? '', decoding: 'async' });
    image.addEventListener('error', () => button.replaceWith(file(attachment)));
    image.addEventListener('load', () => {
      if (!(width > 0 && height > 0)) { const scale = Math.min(1, widest / image.naturalWidth, highest / image.naturalHeight); button.style.width = `${Math.max(64, image.naturalWidth * scale)}px`; button.style.aspectRatio = `${image.naturalWidth} / ${image.naturalHeight}`; }
      whenSized();
    });
    button.append(image);
  }, (error) => button.replaceChildren(h('span', { class: 'ui quiet' }, error.message)));
  if (api.isOwn(source) && (attachment.thumbnail || !(attachment.size > unasked))) load();
  else if (!api.isOwn(source)) return file(attachment);
  return button;
}

export function lightbox(attachment) {
  dialog(attachment.name ?? t('kind.picture'), t('close'), (close, box) => {
    const stage = h('div', { class: 'stage' }, spinner());
    api.content(attachment.url).then((url) => stage.replaceChildren(h('img', { src: url, alt: attachment.name ?? '' })), (error) => stage.replaceChildren(h('p', {}, error.message)));
    stage.addEventListener('click', (event) => { if (event.target === stage) close(); });
    if (isSecureContext && globalThis.ClipboardItem) box.querySelector('header .tool').before(tool('copy', t('picture.copy'), async () => { try { await (await import('./secure.js')).copyPicture(await api.content(attachment.url)); toast(t('copied')); } catch (error) { toast(error.message); } }));
    box.querySelector('header .tool:last-child').before(tool('save', t('save'), () => save(attachment)));
    return stage;
  }, 'light');
}

function player({ id, attachment, kind }, { whenSized, options, isMine }) {
  if (!api.isOwn(attachment.url)) return file(attachment);
  const isVideo = kind === 'video';
  const length = attachment.seconds ? `${Math.floor(attachment.seconds / 60)}:${String(Math.round(attachment.seconds % 60)).padStart(2, '0')}` : size(attachment.size ?? 0);
  const button = h('button', { class: 'file', 'aria-label': t(isVideo ? 'video.play' : 'voice.play', { length }) },
    h('span', { class: 'sign' }, icon('play')), h('span', { class: 'grow' }, h('span', { class: 'name cut' }, t(`kind.${kind}`)), h('span', { class: 'size' }, length)), h('span'));
  const isFresh = !isVideo && !isMine && options.marksUnplayed && id && !playedIDs().includes(id);
  if (isFresh) { button.classList.add('fresh'); button.lastChild.append(h('span', { class: 'unseen' }, t('voice.unplayed'))); }
  button.addEventListener('click', async () => {
    button.disabled = true;
    try {
      const url = await api.content(attachment.url);
      const media = h(isVideo ? 'video' : 'audio', { src: url, controls: true, playsinline: true, 'aria-label': attachment.name ?? t(`kind.${kind}`) });
      media.addEventListener('loadedmetadata', whenSized);
      media.addEventListener('error', () => (media.closest('.player') ?? media).replaceWith(file(attachment)));
      const row = button.closest('.row');
      const box = h('span', { class: 'player' }, media);
      button.replaceWith(box);
      if (!isVideo) { notePlayed(id); if (options.choosesOutput) import('./record.js').then((module) => module.outputChoice(media, box)).catch(() => {}); }
      // What follows and was not played yet.
      if (!isVideo && options.autoPlays) media.addEventListener('ended', () => { for (let next = row?.nextElementSibling; next; next = next.nextElementSibling) { const other = next.querySelector('.file.fresh'); if (other) { other.click(); return; } } });
      media.play().catch(() => {});
      media.focus();
    } catch (error) { toast(error.message); button.disabled = false; }
  });
  return button;
}

function file(attachment) {
  const name = attachment.name || t('kind.file');
  return h('button', { class: 'file', 'aria-label': t('file.save', { name }), onclick: () => save(attachment) },
    h('span', { class: 'sign' }, icon('file')), h('span', { class: 'grow' }, h('span', { class: 'name cut', title: name }, name), h('span', { class: 'size' }, size(attachment.size ?? 0))), icon('save'));
}

export async function save(attachment) {
  if (!api.isOwn(attachment.url)) { window.open(attachment.url, '_blank', 'noopener,noreferrer'); return; }
  try {
    const url = await api.content(attachment.url);
    const link = h('a', { href: url, download: attachment.name || 'file', hidden: true });
    document.body.append(link);
    link.click();
    link.remove();
  } catch (error) { toast(error.message); }
}

export function placeView(place) {
  const position = `${place.latitude.toFixed(5)}, ${place.longitude.toFixed(5)}`;
  return h('a', { class: 'file', href: `geo:${place.latitude},${place.longitude}` }, h('span', { class: 'sign' }, icon('place')), h('span', { class: 'grow' }, h('span', { class: 'name cut' }, place.title || t('kind.place')), h('span', { class: 'size' }, position)));
}
