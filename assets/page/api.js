// Requests to the server, and the contents of files.

import { language, t } from './i18n.js';

const base = '/api/v1';
let token = null;
let whenSignedOut = () => {};

export const setToken = (value) => { token = value; };
export const getToken = () => token;
export const onSignedOut = (run) => { whenSignedOut = run; };

/// A refusal, or status 0 when nobody answered.
export class Problem extends Error {
  constructor(status, code, detail, more = {}) {
    super(detail);
    Object.assign(this, { status, code, ...more });
  }

  /// True when the same request may do later.
  get isPassing() { return this.status === 0 || this.status === 429 || this.status === 502 || this.status === 503 || this.status === 504; }
}

async function problemOf(answer) {
  let body = {};
  try { body = await answer.json(); } catch { /* no JSON: the status says it */ }
  const seconds = Number(answer.headers.get('Retry-After'));
  return new Problem(answer.status, body.code ?? `status_${answer.status}`, body.detail ?? body.error ?? t('problem.status', { status: answer.status }), {
    field: body.field, setting: body.setting, retryAfter: body.retryAfterMilliseconds ?? (seconds > 0 ? seconds * 1000 : undefined),
  });
}

const headers = (more) => ({ 'Accept-Language': language, ...(token ? { Authorization: `Bearer ${token}` } : {}), ...more });

/// The answer itself; throws `Problem`. A request that waits (`isWait`) may be ended with 401 when another device is signed out:
/// whoever waits asks again before this one counts as signed out.
export async function request(method, path, { body, raw, headers: more, signal, keepalive, isWait } = {}) {
  let answer;
  const mine = token;
  try {
    answer = await fetch(path.startsWith('/') ? path : `${base}/${path}`, {
      method, signal, keepalive, cache: 'no-cache', credentials: 'omit', referrerPolicy: 'no-referrer',
      headers: headers({ ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...more }),
      body: raw ?? (body === undefined ? undefined : JSON.stringify(body)),
    });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Problem(0, 'offline', t('problem.offline'));
  }
  if (answer.ok) return answer;
  const problem = await problemOf(answer);
  if ((answer.status === 401 || problem.code === 'account_disabled') && mine && mine === token && !isWait) whenSignedOut(problem);
  throw problem;
}

async function json(method, path, body, more) {
  const answer = await request(method, path, { body, ...more });
  if (answer.status === 204) return null;
  const text = await answer.text();
  return text ? JSON.parse(text) : null;
}

export const get = (path, more) => json('GET', path, undefined, more);
export const post = (path, body, more) => json('POST', path, body, more);
export const put = (path, body, more) => json('PUT', path, body, more);
export const patch = (path, body) => json('PATCH', path, body);
export const remove = (path) => json('DELETE', path);
export const query = (values) => {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== '');
  return given.length ? `?${new URLSearchParams(given)}` : '';
};
export const segment = encodeURIComponent;

/// An answer with the position of its snapshot.
export async function snapshot(path) {
  const answer = await request('GET', path);
  return { cursor: answer.headers.get('Teahouse-Cursor'), value: await answer.json() };
}

// Contents need the token, which an <img> cannot show: they are fetched and shown as blobs, the latest 160 of them.
const contents = new Map();
const mostContents = 160;

export function content(path) {
  const known = contents.get(path);
  if (known) { contents.delete(path); contents.set(path, known); return known; }
  const promise = request('GET', path, { headers: { Accept: '*/*' } }).then((answer) => answer.blob()).then((blob) => URL.createObjectURL(blob));
  contents.set(path, promise);
  promise.catch(() => contents.delete(path));
  if (contents.size > mostContents) {
    const [oldest, url] = contents.entries().next().value;
    contents.delete(oldest);
    url.then((address) => setTimeout(() => URL.revokeObjectURL(address), 10_000), () => {});
  }
  return promise;
}

export function forgetContents() {
  for (const url of contents.values()) url.then((address) => URL.revokeObjectURL(address), () => {});
  contents.clear();
}

/// True for an address of ours; a page of another server is never asked.
export const isOwn = (path) => typeof path === 'string' && path.startsWith('/') && !path.startsWith('//');
