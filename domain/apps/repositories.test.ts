import { expect, test } from 'vitest';
import { assertRepositoryUrl } from './repositories.ts';

const LOCAL = ['https://git.localhost/app.git', 'https://127.0.0.1/app.git', 'git@[127.0.0.1:2222]:app.git'];
const PRIVATE = [
  'https://10.0.0.1/app.git',
  'https://192.168.1.1:8443/app.git',
  'git@172.16.0.1:app.git',
  'https://169.254.169.254/latest/meta-data',
  'git@100.64.0.1:app.git',
  'https://0.0.0.0/app.git',
  'https://git.internal/app.git',
  'git@git.corp.lan:app.git',
  'https://nas.local/app.git',
];
const PUBLIC = [
  'https://github.com/you/app.git',
  'git@github.com:you/app.git',
  'https://x.github.io/app.git',
  'https://93.184.215.14/app.git',
  'git@[git.example.co.za:2222]:group/sub/app.git',
];

test.each(PUBLIC)('accepts %s everywhere', (url) => {
  expect(() => assertRepositoryUrl(url, false)).not.toThrow();
  expect(() => assertRepositoryUrl(url, true)).not.toThrow();
});

test.each(PRIVATE)('rejects %s, an address of a private network, everywhere', (url) => {
  for (const allowLocal of [false, true]) {
    expect(() => assertRepositoryUrl(url, allowLocal)).toThrow('repoUrl: must be on a public name or address');
  }
});

test.each(LOCAL)('accepts %s, this machine, in the local run only', (url) => {
  expect(() => assertRepositoryUrl(url, true)).not.toThrow();
  expect(() => assertRepositoryUrl(url, false)).toThrow('repoUrl: ');
});
