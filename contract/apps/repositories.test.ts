import { expect, test } from 'vitest';
import { Branch, RepositoryUrl } from './repositories.ts';

test.each([
  'https://git.localhost/hello-express.git',
  'https://github.com/expressjs/express',
  'https://x.github.io/repo.git',
  'https://git.example.com:8443/group/sub/repo.git',
  'https://example.com/@scope/repo.git',
  'git@github.com:you/app.git',
  'git@host.example:group/sub/repo.git',
  'git@host.example:~you/app.git',
  'git@host.example:/srv/git/app.git',
  'git@[host.example:2222]:you/app.git',
  'https://GitHub.com/You/App',
  'https://github.com/you/app%20two.git',
  'https://github.com/you/..app/...git',
])('accepts the repository %s', (url) => {
  expect(RepositoryUrl().safeParse(url).success).toBe(true);
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
  'git@[host.example:65536]:you/app.git',
  'git@[host.example]:you/app.git',
  'git@host.example:you/app.git --upload-pack=x',
  'git@host.example:you/$(touch x).git',
  'git@-x.example:you/app.git',
  'https://gith%75b.com/you/app.git',
  'https://0x7f.0.0.1/you/app.git',
  'https://127.1/you/app.git',
  'https://2130706433/you/app.git',
  'https://0177.0.0.1/you/app.git',
  'https://[::1]/you/app.git',
  'https://github.com./you/app.git',
  'https://github.com:99999/you/app.git',
  'https://github.com/you/app.git?ref=main',
  'https://github.com/you/app.git#main',
  'https://github.com/you/app%0a--upload-pack=x',
  'https://github.com/you/app%00.git',
  'https://github.com/..',
  'https://git.localhost/../outside/only.git',
  'https://git.localhost/%2e%2E/outside/only.git',
  'https://git.localhost/.%2e/outside/only.git',
  'https://git.localhost/a%2F..%2foutside/only.git',
  'https://git.localhost/a/./only.git',
  'https:\\\\github.com/you/app.git',
  'HTTPS://github.com/you/app.git',
  'ssh://git@github.com/you/app.git',
  'root@github.com:you/app.git',
  `https://github.com/${'a'.repeat(2048)}`,
])('rejects the repository %j', (url) => {
  expect(RepositoryUrl().safeParse(url).success).toBe(false);
});

test.each(['main', 'feature/x', 'release-1.2', 'a@b', 'ünï'])('accepts the branch %s', (name) => {
  expect(Branch().safeParse(name).success).toBe(true);
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
])('rejects the branch %j', (name) => {
  expect(Branch().safeParse(name).success).toBe(false);
});
