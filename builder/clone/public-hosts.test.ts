import { expect, test } from 'vitest';
import { overHttpsEnvironment } from './public-hosts.ts';

test.each<[isRewritten: boolean, commands: string[], variables: Record<string, string>]>([
  [true, ['npm ci'], { NPM_TOKEN: 'a' }],
  [true, ['yarn install --immutable', 'npx only-allow yarn'], {}],
  [true, ['npm install -g pnpm@10 && cd web && pnpm install'], {}],
  [false, ['eval "$(ssh-agent)" && echo "$KEY" | ssh-add - && npm ci'], {}],
  [false, ['git config --global url."https://$TOKEN@github.com".insteadOf ssh://git@github.com && npm ci'], {}],
  [false, ['./install'], {}],
  [false, ['npm run ssh-key && npm ci'], {}],
  [false, ['pnpm install', 'node key.js'], {}],
  [false, ['npm ci'], { GIT_SSH_COMMAND: 'ssh -i key' }],
  [false, ['npm ci'], { GIT_CONFIG_GLOBAL: 'git.config' }],
])('replaces SSH addresses (%s) unless the owner sets Git up: %j %j', (isRewritten, commands, variables) => {
  expect(Object.keys(overHttpsEnvironment(commands, variables)).length > 0).toBe(isRewritten);
});
