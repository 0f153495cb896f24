/** A provider that costs little: it sends the same response to every call, or 100 tokens at an even pace. Listens on PORT. */
import { createServer, type ServerResponse } from 'node:http';

const TOKENS = 100;
const usage = { prompt_tokens: 20, completion_tokens: TOKENS, total_tokens: 20 + TOKENS };
const head = {
  id: 'chatcmpl-bench',
  created: 1_700_000_000,
  model: 'gpt-4o-mini-2026-01-01',
  system_fingerprint: 'fp_bench',
};
const chunk = (delta: object, finish_reason: string | null) =>
  `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, logprobs: null, finish_reason }], usage: null })}\n\n`;
const message = { role: 'assistant', content: 'word '.repeat(TOKENS), refusal: null };
const WHOLE = JSON.stringify({
  ...head,
  object: 'chat.completion',
  choices: [{ index: 0, message, logprobs: null, finish_reason: 'stop' }],
  usage,
});
const TOKEN = Buffer.from(chunk({ content: 'word ' }, null));
const LAST = `${chunk({}, 'stop')}data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [], usage })}\n\ndata: [DONE]\n\n`;

/** Number of streams that the client closed before their end. */
let abortedCount = 0;

/**
 * Streams one token immediately and the others every `pace` milliseconds. Each stream has its own timer, because a shared timer
 * would send the tokens of many streams together.
 */
function stream(response: ServerResponse, pace: number): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(TOKEN);
  let sent = 1;
  const timer = setInterval(() => {
    sent += 1;
    if (sent < TOKENS) response.write(TOKEN);
    else {
      clearInterval(timer);
      response.end(LAST);
    }
  }, pace);
  response.on('close', () => {
    clearInterval(timer);
    if (!response.writableFinished) abortedCount += 1;
  });
}

const server = createServer((request, response) => {
  if (request.url === '/cut') {
    response.end(String(abortedCount));
    return;
  }
  let body = '';
  request.setEncoding('utf8').on('data', (piece: string) => {
    body += piece;
  });
  request.on('end', () => {
    const pace = /"user":"pace-(\d+)"/.exec(body)?.[1];
    if (pace) stream(response, Number(pace));
    else response.writeHead(200, { 'content-type': 'application/json', 'content-length': WHOLE.length }).end(WHOLE);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(Number(process.env.PORT), '127.0.0.1');
