import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { npmEnvironment } from './machine.ts';

test('builds get the connection settings of the user, and neither the file nor its credentials', () => {
  const home = mkdtempSync(join(tmpdir(), 'home-'));
  const lines = [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: npm expands it
    'registry=https://mirror.example/${TEAM}/',
    '@shop:registry = "https://shop.example/"',
    '; a comment = 1',
    '//mirror.example/:_authToken=secret',
    '_password=secret',
    'nodedir=/usr',
    'https-proxy=http://proxy.example:3128',
  ];
  writeFileSync(join(home, '.npmrc'), lines.join('\n'));
  expect(npmEnvironment({ HOME: home, TEAM: 'web', npm_config_cache: '/cache', npm_config_yes: 'true' })).toEqual({
    HOME: home,
    npm_config_userconfig: '/dev/null',
    npm_config_registry: 'https://mirror.example/web/',
    'npm_config_@shop:registry': 'https://shop.example/',
    npm_config_https_proxy: 'http://proxy.example:3128',
    npm_config_cache: '/cache',
  });
  rmSync(home, { recursive: true });
});
