import { expect, test } from 'vitest';
import { assertReceiverUrl } from './endpoints.ts';

test.each([
  ['https:example.com', 'url: must begin with https://'],
  ['https:/example.com', 'url: must begin with https://'],
  ['https:///example.com', 'url: must begin with https://'],
  ['http:localhost:8080', 'url: must begin with https://'],
  ['http://example.com', 'url: must begin with https://'],
  ['https://example.com:0/', 'url: must not have the port 0'],
  ['http://localhost:0/', 'url: must not have the port 0'],
])('refuses the URL %s', (url, said) => {
  expect(() => assertReceiverUrl(url, true)).toThrow(said);
});

test.each(['https://example.com', 'HTTPS://example.com:8443/x', 'https://bücher.example/', 'http://localhost:8080/x'])(
  'accepts the URL %s',
  (url) => {
    expect(() => assertReceiverUrl(url, true)).not.toThrow();
  },
);
