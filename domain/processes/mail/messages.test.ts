import { expect, test } from 'vitest';
import { render, renderDigest } from './messages.ts';

const account = { id: 'acc_1', name: 'Acme' };
const urls = {
  dashboardUrl: 'https://example.com/dashboard',
  unsubscribeUrl: 'https://example.com/hooks/mail/unsubscribe/token',
};

test('text that customers chose stays text, and stays on the line of its header', () => {
  const title = '<script>alert("1")</script> & Bcc: a@example.com\r\nX: y';
  const { subject, html, text } = renderDigest('Domains', [{ title, path: '/domains/dom_1' }], account, urls);
  expect(subject).not.toMatch(/[\r\n]/);
  expect(html).not.toContain('<script');
  expect(html).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp;');
  expect(text).toContain('https://example.com/dashboard/domains/dom_1?account=acc_1');
});

test('an email links to its settings and to its end, and loads nothing', () => {
  const { html, text } = renderDigest(
    'Domains',
    [{ title: 'example.com expired.', path: '/domains/dom_1' }],
    account,
    urls,
  );
  for (const url of [`${urls.dashboardUrl}/settings/notifications?account=acc_1`, urls.unsubscribeUrl]) {
    expect(html).toContain(`href="${url}"`);
    expect(text).toContain(url);
  }
  expect(html).not.toMatch(/src=|url\(|<img|<link/);
});

test('an email names its account, without what mail clients make links of: its reader may be a member of several', () => {
  const named = { id: 'acc_2', name: 'Shop https://evil.example <b>' };
  const { text } = renderDigest('A low balance', [{ title: 'Your balance is low.', path: '/billing' }], named, urls);
  expect(text).toContain('\n\nAccount: Shop https evil example b\n\n');
});

test('a long subject is cut', () => {
  expect(render('a'.repeat(500), []).subject).toHaveLength(200);
});
