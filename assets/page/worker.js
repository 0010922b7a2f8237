// The service worker: the files of this version, for when the server cannot be reached. Nothing that needs a token is kept here.

const version = '@version@';
const files = '@files@'.split(' ');
const name = `teahouse-${version}`;
/// Milliseconds that the server has to answer before the page comes from here.
const patience = 4000;

async function install() {
  const cache = await caches.open(name);
  const page = await fetch('/', { headers: { Accept: 'text/html' }, cache: 'no-cache' });
  if (!page.ok || !(await page.clone().text()).includes(version)) throw new Error('the page is of another version');
  await cache.put('/', page);
  await cache.addAll(files.map((file) => `/page/${version}/${file}`));
}

const kept = async (key) => (await caches.open(name)).match(key, { ignoreVary: true });

/// The page as it is now, else as it was.
async function page(request) {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), patience);
  try {
    const answer = await fetch(request, { signal: late.signal });
    if (answer.status < 500) return answer;
    return (await kept('/')) ?? answer;
  } catch (error) {
    const known = await kept('/');
    if (known) return known;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

addEventListener('install', (event) => event.waitUntil(install()));
addEventListener('activate', (event) => event.waitUntil((async () => {
  for (const each of await caches.keys()) if (each.startsWith('teahouse-') && each !== name) await caches.delete(each);
})()));
addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== location.origin) return;
  if (request.mode === 'navigate' && pathname === '/') event.respondWith(page(request));
  else if (pathname.startsWith(`/page/${version}/`)) event.respondWith((async () => (await kept(pathname)) ?? fetch(request))());
});
addEventListener('notificationclick', (event) => {
  event.notification.close();
  const id = /^\d+$/.test(event.notification.data?.id ?? '') ? event.notification.data.id : '';
  event.waitUntil((async () => {
    const [open] = await clients.matchAll({ type: 'window', includeUncontrolled: true });
    if (!open) { await clients.openWindow(`/#/c/${id}`); return; }
    open.postMessage({ open: id });
    await open.focus();
  })());
});
