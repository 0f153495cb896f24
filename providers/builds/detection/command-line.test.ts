import { expect, test } from 'vitest';
import { parseCommandLine } from './command-line.ts';

const words = (script: string) => parseCommandLine(script)?.map((command) => command.words.map(({ text }) => text));

test.each<[string, string[][]]>([
  ['node server.js', [['node', 'server.js']]],
  [
    'npm run build && node dist/server.js',
    [
      ['npm', 'run', 'build'],
      ['node', 'dist/server.js'],
    ],
  ],
  [`A=1 node -r "./my file.js" 'x y'`, [['A=1', 'node', '-r', './my file.js', 'x y']]],
  ['a\\ b;c', [['a b'], ['c']]],
  ['NODE_OPTIONS="--a --b" x ""', [['NODE_OPTIONS=--a --b', 'x', '']]],
  ['  ', []],
])('splits %s', (script, expected) => {
  expect(words(script)).toEqual(expected);
});

test('marks words that a shell would replace, but not in single quotes', () => {
  const [command] = parseCommandLine(`next start -p $PORT "$HOME/x" '$y' *.js`) ?? [];
  expect(command?.words.filter(({ dynamic }) => dynamic).map(({ text }) => text)).toEqual(['$PORT', '$HOME/x', '*.js']);
});

test.each(['a | b', 'a & b', 'a > b', 'a || b', 'x $(y)', '"$(y)"', '`y`', "a 'b"])(
  'leaves %s to a shell',
  (script) => {
    expect(parseCommandLine(script)).toBeUndefined();
  },
);
