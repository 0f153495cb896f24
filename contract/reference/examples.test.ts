import { describe, expect, test } from 'vitest';
import { type Audience, buildOpenApi, documentPath, operationsOf } from './openapi.ts';
import { renderPage } from './page.ts';
import { LANGUAGES, writeSample } from './samples.ts';

type Paths = Record<string, Record<string, { requestBody?: { content: Record<string, { example: unknown }> } }>>;

describe.each<Audience>(['platform', 'dashboard'])('the example bodies of the document for the %s', (audience) => {
  const { paths } = buildOpenApi('', '', audience) as unknown as { paths: Paths };
  const withBody = operationsOf(audience).filter(({ body }) => body);

  test.each(withBody.map((route) => [`${route.method} ${route.path}`, route] as const))('%s is valid', (_, route) => {
    const operation = paths[documentPath(route)]?.[route.method.toLowerCase()];
    const { example } = operation?.requestBody?.content['application/json'] ?? {};
    expect(route.body?.().safeParse(example).error).toBeUndefined();
    expect(Object.keys(example ?? {}).length).toBeGreaterThan(0);
  });
});

test('a call is written in each language, with quotes as the language wants them', () => {
  const sample = {
    method: 'POST',
    path: '/v1/apps',
    query: {},
    credential: 'secret' as const,
    streamed: false,
    body: { name: "It's", deployNow: true, buildCommand: null },
  };
  const written = Object.keys(LANGUAGES).map((language) => writeSample(language as never, sample, 'https://x.example'));
  expect(written[0]).toContain("'https://x.example/v1/apps'");
  expect(written[0]).toContain(`It'\\''s`);
  expect(written[1]).toContain('"name": "It\'s"');
  expect(written[2]).toContain('"deployNow": True');
  expect(written[2]).toContain('"buildCommand": None');
});

test('the page has every operation in each language, stays below 300 kB, and refers to nothing that it does not have', () => {
  const page = renderPage('https://x.example');
  expect(Buffer.byteLength(page)).toBeLessThan(300_000);
  for (const { id } of operationsOf('platform')) expect(page).toContain(`<section id="${id}">`);
  for (const language of Object.keys(LANGUAGES)) {
    expect(page.split(`<pre class="${language}">`).length - 1).toBe(operationsOf('platform').length + 1);
  }
  const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
  const links = [...page.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id);
  expect(links.filter((id) => !ids.has(id))).toEqual([]);
  expect(page.match(/<script/g)).toHaveLength(1);
  expect(page).not.toMatch(/ on[a-z]+="| src="http| href="http/);
});
