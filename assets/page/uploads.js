// Uploads by tus 1.0: with progress, pause and cancel, and they go on after a reload. The file itself is kept in the
// browser's database until the server has it.

import * as api from './api.js';
import { h, icon, toast, tool } from './dom.js';
import { size, t } from './i18n.js';
import { model, newToken, send } from './model.js';
import { optionsOf } from './options.js';

const pieceBytes = 4 * 1024 * 1024;
/// A larger file is not copied into the browser's database: it does not survive a reload.
const keptBytes = 512 * 1024 * 1024;
const uploads = new Map();
const shelves = new Map();
let readFor = null;

// MARK: the browser's database

let opened = null;
function database() {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open('teahouse', 1);
    request.onupgradeneeded = () => request.result.createObjectStore('uploads', { keyPath: 'id' });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  return opened;
}

async function table(mode, run) {
  const store = (await database()).transaction('uploads', mode).objectStore('uploads');
  return new Promise((resolve, reject) => {
    const request = run(store);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

const keep = (upload) => {
  if (upload.file.size > keptBytes) return;
  const { id, owner, conversation, file, url, kind, details } = upload;
  table('readwrite', (store) => store.put({ id, owner, conversation, file, url, kind, details })).catch(() => {});
};
const forget = (upload) => table('readwrite', (store) => store.delete(upload.id)).catch(() => {});

/// Uploads of this person that a reload has cut.
async function readKept() {
  if (readFor === model.me.name) return;
  readFor = model.me.name;
  try {
    for (const kept of await table('readonly', (store) => store.getAll())) {
      if (kept.owner !== model.me.name || uploads.has(kept.id)) continue;
      const upload = { ...kept, offset: 0, state: 'waiting', error: null };
      uploads.set(upload.id, upload);
      run(upload);
    }
  } catch { /* a private window keeps nothing */ }
}

// MARK: one upload

const kindOf = (type) => type.startsWith('image/') && type !== 'image/svg+xml' ? 'picture' : type.startsWith('video/') ? 'video' : type.startsWith('audio/') ? 'voice' : 'file';

async function measure(file, kind) {
  if (kind === 'file') return {};
  const url = URL.createObjectURL(file);
  try {
    const element = document.createElement(kind === 'picture' ? 'img' : kind === 'video' ? 'video' : 'audio');
    const known = new Promise((resolve, reject) => {
      element.onload = element.onloadedmetadata = resolve;
      element.onerror = reject;
      setTimeout(reject, 4000);
    });
    element.src = url;
    await known;
    const seconds = Number.isFinite(element.duration) ? { seconds: Math.max(1, Math.round(element.duration)) } : {};
    if (kind === 'picture') return { width: element.naturalWidth, height: element.naturalHeight };
    return kind === 'video' ? { width: element.videoWidth, height: element.videoHeight, ...seconds } : seconds;
  } catch {
    return {};
  } finally {
    URL.revokeObjectURL(url);
  }
}

/// `given`: kind and details of what was made here, such as a recording.
export async function addUploads(conversation, files, given = null) {
  for (const file of files) {
    const most = model.limits.fileBytes;
    if (!file.size) { toast(t('upload.nothing', { name: file.name })); continue; }
    if (most && file.size > most) { toast(t('upload.tooLarge', { name: file.name, size: size(most) })); continue; }
    const kind = given?.kind ?? kindOf(file.type);
    if (!optionsOf(conversation).allows(kind)) { toast(t('upload.kind', { name: file.name })); continue; }
    const upload = { id: newToken(), owner: model.me.name, conversation, file, url: null, kind, offset: 0, state: 'waiting', error: null, details: {} };
    uploads.set(upload.id, upload);
    show(upload);
    upload.details = given?.details ?? await measure(file, kind);
    // What a browser cannot show goes as a file.
    if (kind !== 'file' && !Object.keys(upload.details).length) upload.kind = 'file';
    keep(upload);
    run(upload);
  }
}

const show = (upload) => shelves.get(upload.conversation)?.();
const base64 = (text) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
const tus = { 'Tus-Resumable': '1.0.0' };

async function run(upload) {
  if (upload.state === 'sending' || !uploads.has(upload.id)) return;
  Object.assign(upload, { state: 'sending', error: null });
  show(upload);
  try {
    if (!upload.url) {
      const metadata = `filename ${base64([...upload.file.name].slice(-200).join('') || 'file')}${upload.file.type ? `,filetype ${base64(upload.file.type)}` : ''}`;
      const answer = await api.request('POST', 'files', { headers: { ...tus, 'Upload-Length': String(upload.file.size), 'Upload-Metadata': metadata } });
      upload.url = new URL(answer.headers.get('Location'), location.href).pathname;
      upload.name = answer.headers.get('Teahouse-File') ?? upload.name;
      keep(upload);
    } else {
      const answer = await api.request('HEAD', upload.url, { headers: tus });
      upload.offset = Number(answer.headers.get('Upload-Offset'));
      upload.name = answer.headers.get('Teahouse-File') ?? upload.name;
    }
    while (upload.offset < upload.file.size && upload.state === 'sending') await piece(upload);
    if (upload.state === 'sending') done(upload);
  } catch (error) {
    if (upload.state !== 'sending') return;
    if (error.status === 404 || error.status === 410) { upload.url = null; upload.offset = 0; upload.restarts = (upload.restarts ?? 0) + 1; }
    if (error.isPassing || error.status === 423 || error.status === 409 || (upload.url === null && upload.restarts < 3)) {
      Object.assign(upload, { state: 'waiting', error: null });
      upload.timer = setTimeout(() => run(upload), error.retryAfter ?? 3000);
    } else Object.assign(upload, { state: 'failed', error: error.message });
    show(upload);
  }
}

/// One PATCH. XMLHttpRequest, because fetch tells no progress of what it sends.
function piece(upload) {
  const bytes = upload.file.slice(upload.offset, upload.offset + pieceBytes);
  const begin = upload.offset;
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    upload.request = request;
    request.open('PATCH', upload.url);
    for (const [name, value] of Object.entries({ ...tus, Authorization: `Bearer ${api.getToken()}`, 'Upload-Offset': String(begin), 'Content-Type': 'application/offset+octet-stream' })) request.setRequestHeader(name, value);
    request.upload.onprogress = (event) => { upload.offset = begin + Math.min(event.loaded, bytes.size); moved(upload); };
    request.onload = () => {
      if (request.status >= 200 && request.status < 300) {
        upload.offset = Number(request.getResponseHeader('Upload-Offset') ?? begin + bytes.size);
        upload.name = request.getResponseHeader('Teahouse-File') ?? upload.name;
        moved(upload);
        resolve();
        return;
      }
      let detail = t('problem.status', { status: request.status });
      try { const body = JSON.parse(request.responseText); detail = body.detail ?? body.error ?? detail; } catch { /* no JSON */ }
      reject(new api.Problem(request.status, `status_${request.status}`, detail));
    };
    request.onerror = () => reject(new api.Problem(0, 'offline', t('problem.offline')));
    request.onabort = () => reject(new api.Problem(0, 'offline', ''));
    request.send(bytes);
  });
}

function done(upload) {
  uploads.delete(upload.id);
  forget(upload);
  show(upload);
  const { file, kind, details } = upload;
  send(upload.conversation, { kind, attachment: { file: upload.name, name: [...(file.name || 'file')].slice(-200).join(''), ...details } });
}

function pause(upload) {
  upload.state = 'paused';
  clearTimeout(upload.timer);
  upload.request?.abort();
  show(upload);
}

function cancel(upload) {
  upload.state = 'cancelled';
  clearTimeout(upload.timer);
  upload.request?.abort();
  uploads.delete(upload.id);
  forget(upload);
  show(upload);
  if (upload.url) api.request('DELETE', upload.url, { headers: tus }).catch(() => {});
}

// MARK: the shelf above the composer

const moved = (upload) => {
  const { bar, line } = upload.view ?? {};
  if (!bar) return;
  bar.value = upload.offset;
  line.textContent = progressText(upload);
};
const progressText = (upload) => upload.state === 'failed' ? upload.error : upload.state === 'paused' ? t('upload.paused', { done: size(upload.offset), all: size(upload.file.size) })
  : upload.state === 'waiting' ? t('upload.waiting') : t('upload.progress', { done: size(upload.offset), all: size(upload.file.size) });

/// The uploads to one conversation, as a list that changes by itself.
export function shelf(conversation) {
  const element = h('ul', { class: 'shelf', 'aria-label': t('upload.label'), hidden: true });
  const draw = () => {
    const mine = [...uploads.values()].filter((each) => each.conversation === conversation && each.owner === model.me?.name);
    element.hidden = !mine.length;
    element.replaceChildren(...mine.map((upload) => {
      const bar = h('progress', { max: String(upload.file.size), value: upload.offset, 'aria-label': upload.file.name });
      const line = h('span', { class: `small cut ${upload.state === 'failed' ? 'error' : 'quiet'}` }, progressText(upload));
      upload.view = { bar, line };
      const isMoving = upload.state === 'sending' || upload.state === 'waiting';
      return h('li', { class: 'upload' }, h('span', { class: 'file' === upload.kind ? '' : '', style: null }, icon(upload.kind === 'picture' ? 'picture' : 'file')),
        h('span', { class: 'grow' }, h('span', { class: 'ui cut', title: upload.file.name }, upload.file.name), h('br'), line), bar,
        h('span', { class: 'acts' }, isMoving ? tool('pause', t('upload.pause'), () => pause(upload)) : tool(upload.state === 'failed' ? 'again' : 'play', t('upload.resume'), () => run(upload)), tool('close', t('upload.cancel'), () => cancel(upload))));
    }));
  };
  shelves.set(conversation, draw);
  readKept().then(draw);
  draw();
  return { element, stop() { if (shelves.get(conversation) === draw) shelves.delete(conversation); } };
}
