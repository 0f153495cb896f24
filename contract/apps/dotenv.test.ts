import { expect, test } from 'vitest';
import { describeUnread, parseDotenv } from './dotenv.ts';

const read = (text: string) => Object.fromEntries(parseDotenv(text).map(({ key, value }) => [key, value]));

test('parses a typical file', () => {
  const text = `# of the shop
NODE_ENV=production
export GREETING = Sawubona # a comment
EMPTY=
NOTHING= # but a comment
SPACED=two words  \t
TABBED=a\t# a comment
URL=postgres://u:p@host/db?x=1#part
`;
  expect(read(text)).toEqual({
    NODE_ENV: 'production',
    GREETING: 'Sawubona',
    EMPTY: '',
    NOTHING: '',
    SPACED: 'two words',
    TABBED: 'a',
    URL: 'postgres://u:p@host/db?x=1#part',
  });
});

test('keeps quoted text literally, and supports escapes and several lines in double quotes', () => {
  const text = `A="two words # no comment"\nB='as \\n it stands'\nC="one\\ntwo \\"quoted\\""\nKEY="-----BEGIN\nabc=\n-----END"\nD=\`x'y"z\`\n`;
  expect(read(text)).toEqual({
    A: 'two words # no comment',
    B: 'as \\n it stands',
    C: 'one\ntwo "quoted"',
    KEY: '-----BEGIN\nabc=\n-----END',
    D: 'x\'y"z',
  });
});

test('keeps a backslash in double quotes that starts no escape sequence', () => {
  const text = [String.raw`A="^\d+$"`, String.raw`B="pa\ss\\word\$"`].join('\n');
  expect(read(text)).toEqual({
    A: String.raw`^\d+$`,
    B: String.raw`pa\ss\word$`,
  });
});

test('accepts Windows line ends and repeated names, and ignores other lines', () => {
  expect(read('A=1\r\nB=2\r\nA=3\r\nno variable\r\n=x\r\n')).toEqual({ A: '3', B: '2' });
  expect(parseDotenv('just a name')).toEqual([]);
});

test('names the lines that were not read', () => {
  const end = 'could not be read completely: check the variables.';
  const text = 'A=1\nbroken line\n# c\n\nB="x\ny" # c\nKEY: v\r\n1K=2\nMY KEY=3\n';
  expect(describeUnread(text)).toBe(`Lines 2, 7, 8, 9 ${end}`);
  expect(describeUnread('C="open\nnext\n')).toBe(`Line 2 ${end}`);
  expect(describeUnread('no\n'.repeat(10))).toBe(`Lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 ${end}`);
  expect(describeUnread('no\n'.repeat(11))).toBe(`Lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, … ${end}`);
  expect(describeUnread('\r\nexport A = 1 # c\r\nB=\n  # c\n')).toBe('');
});

test('reports a partly read line as incomplete', () => {
  const text = `export B="x";\nC='it's'\n`;
  expect(read(text)).toEqual({ B: 'x', C: 'it' });
  expect(describeUnread(text)).toBe('Lines 1, 2 could not be read completely: check the variables.');
});
