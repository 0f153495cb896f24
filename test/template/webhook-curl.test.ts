import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { requestHeaders, type SentDelivery, toCurl } from '../../dashboard/webhooks/curl.ts';

const directory = mkdtempSync(join(tmpdir(), 'curl-'));
afterAll(() => rmSync(directory, { recursive: true }));

const body = `{"name":"it's $HOME \`x\` \\\\ é"}`;
const delivery: SentDelivery = { id: 'del_1', eventId: 'evt_1', type: 'app.created', body, attempts: [] };

test('the command sends the same bytes, signed with the secret of its environment', () => {
  // Stands for curl: writes its arguments to a file.
  const stand = join(directory, 'curl');
  const file = join(directory, 'arguments.json');
  const script = join(directory, 'curl.cjs');
  writeFileSync(script, `require('fs').writeFileSync(${JSON.stringify(file)}, JSON.stringify(process.argv.slice(2)))`);
  writeFileSync(stand, `#!/bin/sh\nexec ${process.execPath} ${script} "$@"\n`, { mode: 0o755 });
  const environment = { PATH: `${directory}:/usr/bin:/bin`, WEBHOOK_SECRET: 'whsec_abc' };
  execFileSync('sh', ['-c', toCurl("https://example.com/it's", delivery)], { env: environment });
  const sent: string[] = JSON.parse(readFileSync(file, 'utf8'));
  expect(sent).toContain("https://example.com/it's");
  expect(sent.at(-1)).toBe(body);
  const [, time, signature] = /t=(\d+),v1=([0-9a-f]{64})/.exec(sent.join('\n')) ?? [];
  expect(signature).toBe(createHmac('sha256', 'whsec_abc').update(`${time}.${body}`).digest('hex'));
  expect(sent).toContain('X-Service-Event: app.created');
});

test('the head of a request names its attempt and keeps the signature to itself', () => {
  const text = requestHeaders('https://example.com', { ...delivery, attempts: [{ id: 'att_9' }] });
  expect(text).toContain('X-Service-Delivery: att_9');
  expect(text).not.toMatch(/v1=[0-9a-f]/);
});
