import { expect, test } from 'vitest';
import { parseDotenv, unreadLines } from './dotenv.ts';

const read = (text: string) => Object.fromEntries(parseDotenv(text).map(({ key, value }) => [key, value]));

test('parses a typical file', () => {
  const text = `# of the shop
NODE_ENV=production
export GREETING = Sawubona # a comment
EMPTY=
URL=postgres://u:p@host/db?x=1#part
`;
  expect(read(text)).toEqual({
    NODE_ENV: 'production',
    GREETING: 'Sawubona',
    EMPTY: '',
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

test('accepts Windows line ends and repeated names, and ignores other lines', () => {
  expect(read('A=1\r\nB=2\r\nA=3\r\nno variable\r\n=x\r\n')).toEqual({ A: '3', B: '2' });
  expect(parseDotenv('just a name')).toEqual([]);
});

test('names the lines that were not read', () => {
  expect(unreadLines('A=1\nbroken line\n# c\n\nB="x\ny" # c\nKEY: v\r\n1K=2\nMY KEY=3\n')).toEqual([2, 7, 8, 9]);
  expect(unreadLines('C="open\nnext\n')).toEqual([2]);
  expect(unreadLines('\r\nexport A = 1 # c\r\nB=\n  # c\n')).toEqual([]);
});
