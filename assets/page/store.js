// The last conversations, kept in this browser for when the server cannot be reached: over an encrypted connection only, and
// gone at sign-out. Contents of files are not kept.

import { model } from './model.js';

const name = 'teahouse-last';
const mostListed = 40;
const mostRead = 12;
const mostMessages = 40;
const rest = 5000;

function database() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => request.result.createObjectStore('last');
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

async function table(mode, run) {
  const opened = await database();
  try {
    return await new Promise((resolve, reject) => {
      const request = run(opened.transaction('last', mode).objectStore('last'));
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  } finally { opened.close(); }
}

/// What was kept, or `null`.
export async function readKept() {
  try { return (await table('readonly', (store) => store.get('state'))) ?? null; } catch { return null; }
}

let known = null;
let timer = null;
let isEnded = false;

async function write() {
  timer = null;
  if (!model.me || !model.isListLoaded || isEnded) return;
  const conversations = [...model.conversations.values()].sort((one, other) => other.lastActivity - one.lastActivity).slice(0, mostListed);
  const ids = new Set(conversations.map((each) => each.id));
  const runs = new Map((known?.runs ?? []).filter(([id]) => ids.has(id)));
  for (const [id, run] of model.runs) {
    if (!ids.has(id) || !run.isLoaded || run.hasAfter || run.isHeld || !run.items.length) continue;
    runs.delete(id);
    runs.set(id, run.items.slice(-mostMessages));
  }
  const last = [...runs].slice(-mostRead);
  const names = new Set([model.me.name, ...conversations.flatMap((each) => [each.with?.name, each.digest?.sender]), ...last.flatMap(([, items]) => items.map((each) => each.sender))]);
  const people = [...names].map((each) => model.people.get(each)).filter(Boolean).map(({ isOnline, ...user }) => user);
  known = { session: { user: model.me, limits: model.limits, configuration: model.configuration }, configurations: [...model.configurations].filter(([id]) => ids.has(id)), conversations, runs: last, people };
  try { await table('readwrite', (store) => store.put(known, 'state')); if (isEnded) await forget(); } catch { /* a private window keeps nothing */ }
}

/// Something changed: it is written when changes rest.
export function keepSoon() { timer ??= setTimeout(write, rest); }
export function keepNow() { clearTimeout(timer); return write(); }

export async function startKeeping() { isEnded = false; known = await readKept(); if (known?.session.user.name !== model.me?.name) known = null; }

export function forget() {
  isEnded = true;
  known = null;
  clearTimeout(timer);
  timer = null;
  return new Promise((resolve) => { const request = indexedDB.deleteDatabase(name); request.onsuccess = request.onerror = request.onblocked = () => resolve(); });
}
