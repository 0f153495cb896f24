// Checks commit messages against Conventional Commits 1.0.0 with this project's limits (CONTRIBUTING.md, Commits).
//
//   node scripts/commit-message.mjs --file <path>   one message: the commit-msg hook
//   node scripts/commit-message.mjs --history       all commits since this check was introduced: npm run lint
//
// Plain JavaScript without dependencies, because the hook runs on the Node of the committer's shell.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const MAX_SUBJECT_LENGTH = 72;
const TYPES = ['build', 'chore', 'ci', 'docs', 'feat', 'fix', 'perf', 'refactor', 'revert', 'style', 'test'];
const PREFIX = `(?:${TYPES.join('|')})(?:\\([a-z0-9][a-z0-9-]*\\))?!?: `;
const SUBJECT = new RegExp(`^${PREFIX}\\S.*$`);
const SECOND_SUBJECT = new RegExp(`[;,] (?:${PREFIX})`);
const WRITTEN_BY_GIT = /^(?:Merge |Revert ")/;
/** Matches commits that a rebase folds into others. They are accepted when they are created, but not in the history. */
const TO_BE_FOLDED = /^(?:fixup|squash|amend)! /;
/** The line that `git commit --verbose` adds. Git removes it and everything after it. */
const SCISSORS = /^# -+ >8 -+$/m;

/** Returns the reasons why a message is refused; none if it is accepted. */
function problemsOf(message) {
  const [subject = '', second = ''] = message.split('\n');
  if (WRITTEN_BY_GIT.test(subject)) return [];
  const problems = [];
  if (!SUBJECT.test(subject)) {
    problems.push(`the subject must be "<type>(<scope>): <summary>" with one of the types ${TYPES.join(', ')}`);
  }
  if ([...subject].length > MAX_SUBJECT_LENGTH) {
    problems.push(`the subject has ${[...subject].length} characters; at most ${MAX_SUBJECT_LENGTH} are allowed`);
  }
  if (subject.includes('; ') || SECOND_SUBJECT.test(subject)) {
    problems.push('the subject names more than one change; make one commit for each');
  }
  if (/[.\s]$/.test(subject)) problems.push('the subject must not end with a full stop or a space');
  if (second.trim() !== '') problems.push('a blank line must separate the subject from the body');
  return problems;
}

/** Prints the problems of a message and returns their number. */
function report(label, message) {
  const problems = problemsOf(message);
  if (problems.length > 0) {
    const lines = problems.map((problem) => `  - ${problem}`);
    console.error([`${label}: ${message.split('\n')[0]}`, ...lines].join('\n'));
  }
  return problems.length;
}

/** Returns the output of a git command; undefined if it fails, for example without Git or outside of a repository. */
function git(...args) {
  const { status, stdout } = spawnSync('git', args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  return status === 0 ? stdout : undefined;
}

/** Returns a message in the form in which Git stores it: without comments, text after the scissors, and surrounding blank lines. */
function storedMessage(text) {
  const [kept = ''] = text.replaceAll('\r\n', '\n').split(SCISSORS);
  const lines = kept.split('\n').filter((line) => !line.startsWith('#'));
  return lines.join('\n').trim();
}

/** Checks the commits after the one that added this file. A copy without history, or with a shallow history, has fewer or none. */
function checkHistory() {
  const script = fileURLToPath(import.meta.url);
  const added = git('log', '--diff-filter=A', '--format=%H', '--', script)?.trim().split('\n').at(-1);
  if (!added) return 0;
  const log = git('log', '--no-merges', '-z', '--format=%h%n%B', `${added}..HEAD`) ?? '';
  let found = 0;
  for (const entry of log.split('\0').filter(Boolean)) {
    const [hash = '', ...lines] = entry.split('\n');
    found += report(hash, lines.join('\n').trimEnd());
  }
  return found;
}

const [mode, file] = process.argv.slice(2);
if (mode === '--file' && file) {
  const message = storedMessage(readFileSync(file, 'utf8'));
  // Git refuses empty messages.
  const isChecked = message !== '' && !TO_BE_FOLDED.test(message);
  if (isChecked && report('Commit message refused', message) > 0) {
    console.error('See CONTRIBUTING.md, "Commits". The message is kept in .git/COMMIT_EDITMSG.');
    process.exitCode = 1;
  }
} else if (mode === '--history') {
  if (checkHistory() > 0) process.exitCode = 1;
} else {
  console.error('usage: node scripts/commit-message.mjs --file <path> | --history');
  process.exitCode = 2;
}
