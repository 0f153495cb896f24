import { ERRORS } from '../errors.ts';
import { EVENTS } from '../webhooks/events.ts';
import { DESCRIPTIONS } from './failures.ts';
import { html, pre } from './html.ts';
import { SECRET_KEY } from './samples.ts';

/** A page of the reference that applies to all operations. */
export interface Guide {
  id: string;
  title: string;
  /** HTML */
  text: string;
}

const errorRows = Object.entries(ERRORS)
  .map(([code, { status }]) => {
    const statuses = code === 'server_error' ? '500, 502, 503' : status;
    return `<tr><td>${statuses}</td><td><code>${code}</code></td><td>${html(DESCRIPTIONS[code as keyof typeof ERRORS])}</td></tr>`;
  })
  .join('');

const stripe = `import Stripe from 'stripe';

const event = stripe.webhooks.constructEvent(rawBody, request.headers['x-service-signature'], secret);`;
const standard = `import { Webhook } from 'standardwebhooks'; // or from 'svix'

const event = new Webhook(secret).verify(rawBody, request.headers);`;
const byHand = `import hashlib, hmac, time

def verify(raw_body: bytes, header: str, secret: str) -> bool:
    parts = [part.split("=", 1) for part in header.split(",")]
    t = next(value for name, value in parts if name == "t")
    expected = hmac.new(secret.encode(), t.encode() + b"." + raw_body, hashlib.sha256).hexdigest()
    fresh = abs(time.time() - int(t)) <= 300
    return fresh and any(hmac.compare_digest(value, expected) for name, value in parts if name == "v1")`;

const stream = (baseUrl: string) => ({
  curl: `curl -N '${baseUrl}/ai/v1/chat/completions' \\
  -H 'Authorization: Bearer ${SECRET_KEY}' \\
  -d '{"model": "openai/gpt-4o-mini", "stream": true, "messages": [{"role": "user", "content": "Say hello."}]}'`,
  typescript: `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${baseUrl}/ai/v1', apiKey: '${SECRET_KEY}' });
const stream = await client.chat.completions.create({
  model: 'openai/gpt-4o-mini',
  messages: [{ role: 'user', content: 'Say hello.' }],
  stream: true,
});
for await (const chunk of stream) process.stdout.write(chunk.choices[0].delta.content ?? '');`,
  python: `from openai import OpenAI

client = OpenAI(base_url="${baseUrl}/ai/v1", api_key="${SECRET_KEY}")
stream = client.chat.completions.create(
    model="openai/gpt-4o-mini",
    messages=[{"role": "user", "content": "Say hello."}],
    stream=True,
)
for chunk in stream:
    print(chunk.choices[0].delta.content or "", end="")`,
});

/** Returns the guides, with the base URL of this installation in their examples. */
export const guides = (baseUrl: string): Guide[] => [
  {
    id: 'authentication',
    title: 'Authentication',
    text: `<p>Create a key in the <a href="/dashboard/developers">dashboard</a> under Developers and choose its scopes: <code>read</code>, <code>write</code>, <code>deploy</code>, <code>domains</code>, <code>ai</code>. The secret half is shown once.</p>
<table><tr><td>Secret key, <code>sk_live_…</code></td><td><code>Authorization: Bearer sk_live_…</code></td><td>For servers. Allows every operation within its scopes.</td></tr>
<tr><td>Public key, <code>pk_live_…</code></td><td><code>X-Public-Key: pk_live_…</code></td><td>For browsers, from the origins that you allow. Allows the catalogue and the list of models.</td></tr></table>`,
  },
  {
    id: 'libraries',
    title: 'Library and command line',
    text: `<p><code>hosting-platform-client</code> is a typed client for TypeScript and JavaScript without dependencies. It retries failed requests, pages through lists, streams chats and verifies webhooks. The command line <code>hosting</code> deploys the current folder, follows logs and forwards events to your machine. Both are packages in the platform’s source, in <code>client/</code> and <code>cli/</code>. Install them from a clone in which <code>npm ci</code> has run:</p>
${pre('npm install "$(npm pack ../platform/client --silent)"\nnpm install --global "$(npm pack ../platform/cli --silent)"')}
<p>For other languages, generate a client from <a href="/v1/openapi.json"><code>/v1/openapi.json</code></a>.</p>`,
  },
  {
    id: 'errors',
    title: 'Errors',
    text: `<p>A failed request has a status of 400 or above and this body. Handle errors by <code>code</code>; the message is for people.</p>
${pre('{\n  "error": { "message": "name: must have at least 2 characters", "code": "invalid_request", "status": 400 }\n}')}
<table><tr><th>Status</th><th>Code</th><th>Meaning</th></tr>${errorRows}</table>
<p>Every response has an <code>X-Request-Id</code>. Quote it when you ask for help. <code>X-Ignored-Parameters</code> names the fields of the body that had no effect.</p>`,
  },
  {
    id: 'limits',
    title: 'Rate limits',
    text: `<p>In any 60 seconds, a secret key may make 120 requests and a public key 30. Every response has the state of the limit in
<code>X-RateLimit-Limit</code>, <code>X-RateLimit-Remaining</code> and <code>X-RateLimit-Reset</code> (Unix seconds). Beyond the limit, requests fail with 429;
wait for the number of seconds in <code>Retry-After</code>, then retry. A request body may have 1 MiB, that of a chat completion 6 MiB.
On AWS, the 6 MiB include the headers, and each quote, backslash, tab and line break of the body counts twice. Send <code>Content-Type: application/json</code>, because
other types count a third more. A chat request that exceeds only this count fails with 413 from AWS, without the standard error body.</p>`,
  },
  {
    id: 'paging',
    title: 'Paging',
    text: `<p>Lists are newest first. <code>limit</code> (1–100, default 50) is the size of a page, and <code>has_more</code> is true if there are further items. For the next page,
send the <code>id</code> of the last item as <code>cursor</code>. New items do not shift these pages. Alternatively, <code>offset</code> (0–10,000) skips that many items.</p>
${pre(`params = {"limit": 100}
while True:
    page = requests.get("${baseUrl}/v1/apps", params=params, headers=headers).json()
    for app in page["data"]: ...
    if not page["has_more"]: break
    params["cursor"] = page["data"][-1]["id"]`)}`,
  },
  {
    id: 'idempotency',
    title: 'Idempotency',
    text: `<p>Send an <code>Idempotency-Key</code> (1–255 ASCII characters) with a POST, and you can safely repeat the request. For 24 hours, a request with
the same key and body has no effect and returns the first response, with <code>Idempotent-Replayed: true</code>. The same key with a different body fails with 409. A
request that fails validation does not use up its key.</p>`,
  },
  {
    id: 'webhooks-guide',
    title: 'Receiving webhooks',
    text: `<p>Each event is a POST of <code>{id, type, created, data}</code> to every active endpoint that subscribes to it. Respond with 2xx within 10 seconds. Otherwise the delivery is retried
after 1 minute, 5 minutes, 30 minutes, 2 hours and 12 hours. Events can arrive more than once and out of order: ignore an <code>id</code> that you have already processed.
After 50 failed attempts in a row, the endpoint is disabled. Verify the signature over the raw body. All of these examples take the secret exactly as it was shown:</p>
${pre(stripe)}${pre(standard)}${pre(byHand)}
<p>Events: ${Object.keys(EVENTS)
      .map((type) => `<a href="#Event.${type}"><code>${type}</code></a>`)
      .join(' ')}</p>
<p>A program that cannot receive webhooks reads <code>GET /v1/events</code> instead: every event once and in order, after the <code>cursor</code> of the previous response. Poll every two seconds. The command line does this with <code>hosting webhooks listen --forward http://localhost:3000</code>.</p>`,
  },
  {
    id: 'streaming',
    title: 'Streaming',
    text: `<p>With <code>"stream": true</code>, a chat completion is sent as server-sent events: <code>data: {chunk}</code> for each piece, and <code>data: [DONE]</code> at the end. The
last chunk before it has the <code>usage</code>. A stream that breaks ends with <code>data: {"error": …}</code>, without <code>[DONE]</code>. OpenAI's clients, and tools built
on them, work unchanged:</p>${Object.entries(stream(baseUrl))
      .map(([language, text]) => pre(text, language))
      .join('')}`,
  },
];
