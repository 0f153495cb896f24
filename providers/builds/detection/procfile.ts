/**
 * Returns the commands of a Procfile (https://devcenter.heroku.com/articles/procfile) by the names of their processes: `web: node server.js`.
 */
export function parseProcfile(text: string): { web?: string; worker?: string } {
  const processes = text.split('\n').flatMap((line) => {
    const [, name = '', rest = ''] = /^\s*([\w-]+)\s*:(.*)$/s.exec(line) ?? [];
    const command = rest.trim();
    return command === '' ? [] : [[name, command] as const];
  });
  return Object.fromEntries(processes);
}
