import { expect, test } from 'vitest';
import { failureNameOf, parseCommand, parseTime } from './commands.ts';

const reason = ['--reason', 'A drill.'];

test('a command line is read into words and options', () => {
  expect(parseCommand(['replay', 'stream', ...reason, '--local'])).toEqual({
    command: 'replay',
    words: ['stream'],
    options: { reason: 'A drill.', local: true },
  });
  expect(parseCommand(['hosting-servers', '--local'])).toMatchObject({ command: 'hosting-servers', words: [] });
  expect(parseCommand(['list', '--stage', 'prod', '--region', 'af-south-1']).words).toEqual([]);
});

test.each([
  ['', 'Give a command.'],
  ['purge', 'There is no command purge.'],
  ['replay stream --local', '--reason is required.'],
  ['replay --reason drill --local', 'replay needs a name.'],
  ['replay stream dns --reason drill --local', 'dns is one word too many.'],
  ['replay stream --reason drill', '--stage and --region are required, or --local.'],
  ['replay stream --reason drill --stage prod', '--stage and --region are required, or --local.'],
  ['replay stream --reason drill --cell b --local', "Unknown option '--cell'"],
  ['replay stream --local --reason', "Option '--reason <value>' argument missing"],
  ['flag set ai-keep-alive --share= --reason drill --local', '--share is empty.'],
  ['second-factor --email a@example.com --local', "Unknown option '--local'"],
  ['second-factor --email a@example.com', '--stage and --region are required.'],
])('"%s" is refused in words: %s', (line, problem) => {
  const message = () => parseCommand(line.split(' ').filter(Boolean));
  expect(message).toThrow(problem);
  expect(message).toThrow('npm run operate -- ');
});

test('a failure queue that there is not, and a time without its offset, are refused', () => {
  expect(failureNameOf('stream')).toBe('stream');
  expect(() => failureNameOf('nonsense')).toThrow('There is no failure queue nonsense: deliveries, ');
  expect(parseTime('2026-11-23T12:00:00+02:00').toISOString()).toBe('2026-11-23T10:00:00.000Z');
  for (const text of [
    '2026-11-23T10:00:00',
    '2026-11-23',
    'yesterday',
    '2026-13-40T10:00:00Z',
    '2026-02-30T10:00:00Z',
    '2026-02-29T10:00:00+02:00',
  ])
    expect(() => parseTime(text)).toThrow('give a time with Z or an offset');
});
