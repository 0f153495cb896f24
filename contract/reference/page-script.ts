/**
 * The only script of the reference page: the choice of a language, the search, the reader's keys, and "Try it". It shows responses as
 * text, keeps an entered key only in memory, and uses the dashboard's session in this browser if there is one.
 */
export const script = String.raw`
const $ = (selector, from = document) => [...from.querySelectorAll(selector)];
const choose = (language) => {
  document.body.dataset.language = language;
  try { localStorage.setItem('docs.language', language); } catch {}
  for (const button of $('[data-choose]')) button.setAttribute('aria-pressed', button.dataset.choose === language);
};
for (const button of $('[data-choose]')) button.onclick = () => choose(button.dataset.choose);

const originals = $('pre').map((element) => [element, element.textContent]);
const keys = { secret: '', public: '' };
const fillIn = () => {
  for (const [element, text] of originals) {
    element.textContent = text
      .replaceAll('sk_live_YOUR_SECRET_KEY', () => keys.secret || 'sk_live_YOUR_SECRET_KEY')
      .replaceAll('pk_live_YOUR_PUBLIC_KEY', () => keys.public || 'pk_live_YOUR_PUBLIC_KEY');
  }
};
const keyInput = document.getElementById('key');
keyInput.oninput = () => {
  keys.secret = /^sk_live_\w+$/.test(keyInput.value.trim()) ? keyInput.value.trim() : '';
  fillIn();
};

const session = () => {
  try {
    for (const name of Object.keys(localStorage)) {
      if (!name.startsWith('oidc.user:')) continue;
      const user = JSON.parse(localStorage.getItem(name));
      if (user.access_token && (user.expires_at ?? 0) * 1000 > Date.now()) return user;
    }
  } catch {}
};
const who = document.getElementById('who');
const signedIn = async () => {
  const user = session();
  if (!user) return;
  const answer = await fetch('/dashboard/v1/keys', { headers: { authorization: 'Bearer ' + user.access_token } });
  if (!answer.ok) return;
  const { data } = await answer.json();
  keys.public = data.find((key) => !key.revokedAt)?.publicKey ?? '';
  who.textContent = 'Signed in' + (user.profile?.email ? ' as ' + user.profile.email : '') + ': “Try it” uses your login' + (keys.public ? ', and examples have your public key.' : '.');
  fillIn();
};

const search = document.getElementById('search');
const sections = $('section').map((element) => [element, element.textContent.toLowerCase()]);
search.oninput = () => {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = new Set();
  for (const [element, text] of sections) {
    element.hidden = !words.every((word) => text.includes(word));
    if (!element.hidden) shown.add(element.id);
  }
  for (const link of $('nav a')) link.hidden = words.length > 0 && !shown.has(link.hash.slice(1));
  document.getElementById('none').hidden = shown.size > 0;
};
addEventListener('keydown', (event) => {
  if (event.key === '/' && !/INPUT|TEXTAREA/.test(document.activeElement.tagName)) { event.preventDefault(); search.focus(); }
});

const send = async (form) => {
  const output = form.querySelector('output');
  const fields = new FormData(form);
  const user = keys.secret ? undefined : session();
  const { method, access } = form.dataset;
  let path = form.dataset.path;
  const query = new URLSearchParams();
  for (const [name, value] of fields) {
    if (name.startsWith('path.')) path = path.replace('{' + name.slice(5) + '}', encodeURIComponent(value));
    if (name.startsWith('query.') && value !== '') query.set(name.slice(6), value);
  }
  if (user && access !== 'none') path = path.replace(/^\/(ai\/)?v1\//, (_, ai) => '/dashboard/v1/' + (ai ?? ''));
  const headers = {};
  if (access !== 'none' && (keys.secret || user)) headers.authorization = 'Bearer ' + (keys.secret || user.access_token);
  else if (access === 'catalogue' && keys.public) headers['x-public-key'] = keys.public;
  const body = fields.get('body') ?? undefined;
  if (body !== undefined) headers['content-type'] = 'application/json';
  output.textContent = '…';
  const began = performance.now();
  try {
    const answer = await fetch(path + (query.size ? '?' + query : ''), { method, headers, body });
    const head = () => answer.status + ' in ' + Math.round(performance.now() - began) + ' ms, request ' + answer.headers.get('x-request-id') + '\n\n';
    let text = '';
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      text += piece.value;
      output.textContent = head() + text;
    }
    try { output.textContent = head() + JSON.stringify(JSON.parse(text), null, 2); } catch {}
  } catch (error) {
    output.textContent = 'The request could not be sent: ' + error.message;
  }
};
for (const form of $('form.try')) form.onsubmit = (event) => { event.preventDefault(); send(form); };

let stored;
try { stored = localStorage.getItem('docs.language'); } catch {}
choose(['curl', 'typescript', 'python'].includes(stored) ? stored : 'curl');
document.body.classList.add('ready');
signedIn().catch(() => {});
`;
