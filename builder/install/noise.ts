/** Match the first and last line of npm's usage text, which does not explain a failure. */
const USAGE_BEGIN = /^npm (error|ERR!) (Clean install a project|Usage:)$/;
const USAGE_END = /^npm (error|ERR!) Run "npm help/;
/** Matches messages about npm's own settings and files, which an owner cannot change. */
const OWN_SETTINGS =
  /^npm (warn|WARN) (Unknown (user|env|cli|builtin|global|project) config|config (global|cache|init)|using --force)|^npm (error|ERR!) A complete log of this run can be found in|^npm notice/i;
/** Matches pnpm's lines about its progress, several each second, except for the last one. */
const PROGRESS = /^Progress: resolved \d+, reused \d+, downloaded \d+, added \d+$/;
/** Maximum length of a line that is passed on as a whole. */
const MAX_LINE_LENGTH = 8192;

/**
 * Creates a filter of a package manager's output that removes npm's usage text, messages about npm's own
 * settings, and pnpm's progress.
 * @param output receives whole lines, except for very long ones
 */
export function createNoiseFilter(output: (text: string) => void): { write(text: string): void; end(): void } {
  let pending = '';
  let isUsage = false;
  const isKept = (line: string): boolean => {
    const text = line.trimEnd();
    if (USAGE_BEGIN.test(text)) isUsage = true;
    if (!isUsage) return !OWN_SETTINGS.test(text) && !PROGRESS.test(text);
    if (USAGE_END.test(text) || !/^npm (error|ERR!)/.test(text)) isUsage = false;
    return USAGE_END.test(text) ? false : !/^npm (error|ERR!)/.test(text);
  };
  return {
    write(text) {
      const lines = (pending + text).split('\n');
      pending = lines.pop() ?? '';
      const kept = lines.filter(isKept);
      if (kept.length > 0) output(`${kept.join('\n')}\n`);
      if (pending.length <= MAX_LINE_LENGTH) return;
      output(pending);
      pending = '';
    },
    end() {
      if (pending !== '' && isKept(pending)) output(pending);
      pending = '';
    },
  };
}
