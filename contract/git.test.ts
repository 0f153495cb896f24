import { expect, test } from 'vitest';
import { Branch, RepositoryUrl } from './git.ts';

test.each([
  'https://git.localhost/hello-express.git',
  'https://github.com/expressjs/express',
  'https://x.github.io/repo.git',
  'https://git.example.com:8443/group/sub/repo.git',
  'https://example.com/@scope/repo.git',
  'git@github.com:you/app.git',
  'git@host.example:group/sub/repo.git',
  'git@host.example:~you/app.git',
])('%s is a repository', (url) => {
  expect(RepositoryUrl.safeParse(url).success).toBe(true);
});

test.each([
  '',
  'https://',
  'https://github.com',
  'https://github.com/',
  'http://github.com/you/app.git',
  'ext::sh -c touch% /tmp/x',
  'file:///etc/passwd',
  '/etc/passwd',
  '--upload-pack=touch /tmp/x',
  'https://user:password@github.com/you/app.git',
  'https://token@github.com/you/app.git',
  'https://github.com/you/app.git\n--upload-pack=x',
  'https://github.com/you/app git',
  'https://gіthub.com/you/app.git',
  'https://localhost/you/app.git',
  'git@-oProxyCommand=x:you/app.git',
  'git@host.example:-x/app.git',
  'git@host.example:/absolute/app.git',
  'ssh://git@github.com/you/app.git',
  'root@github.com:you/app.git',
  `https://github.com/${'a'.repeat(2048)}`,
])('%j is no repository', (url) => {
  expect(RepositoryUrl.safeParse(url).success).toBe(false);
});

test.each(['main', 'feature/x', 'release-1.2', 'a@b', 'ünï'])('%s is a branch', (name) => {
  expect(Branch.safeParse(name).success).toBe(true);
});

test.each([
  '',
  '-x',
  '.x',
  '/x',
  'x/',
  'x.',
  'a..b',
  'a b',
  'a~b',
  'a^b',
  'a:b',
  'a?b',
  'a*b',
  'a[b',
  'a\\b',
  'a\nb',
  'x.lock',
  'a/.b',
  '@',
  'a@{b',
])('%j is no branch', (name) => {
  expect(Branch.safeParse(name).success).toBe(false);
});
