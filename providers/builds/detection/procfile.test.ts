import { expect, test } from 'vitest';
import { parseProcfile } from './procfile.ts';

test('reads the commands of processes', () => {
  const text = '\n# web: no\nrelease: echo a:b\r\n  web :\tnode a.js  --x \r\nworker: node b.js\nempty: \n';
  expect(parseProcfile(text)).toEqual({ release: 'echo a:b', web: 'node a.js  --x', worker: 'node b.js' });
});

test('reads a line with a megabyte of spaces without delay, because a request waits for it', () => {
  const command = `a${' '.repeat(1024 * 1024)}b`;
  expect(parseProcfile(`web: ${command}`)).toEqual({ web: command });
});
