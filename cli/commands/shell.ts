import { APP, chosenApp, urlOf } from '../applications.ts';
import { type Command, UsageError } from '../command.ts';
import { openBrowser } from '../login/browser.ts';
import { SCRIPTS, SHELLS } from '../shell/completion.ts';

const open: Command = {
  name: 'open',
  summary: 'Open the application in the browser',
  options: [
    APP,
    { name: 'dashboard', description: 'Open the application’s page in the dashboard instead' },
    { name: 'print', description: 'Print the address without opening it' },
  ],
  async run(context) {
    const { api, out, flag } = context;
    const app = await chosenApp(context);
    const url = flag('dashboard') ? `${api()}/dashboard/apps/${app.id}` : urlOf(api(), app);
    out.result({ url }, () => out.line(url));
    if (!flag('print') && !out.json && !(await openBrowser(url))) out.note('There is no browser here.');
  },
};

const completion: Command = {
  name: 'completion',
  summary: 'Print the completion script of a shell',
  arguments: [{ name: 'shell', description: SHELLS.join(', ') }],
  examples: ['source <(hosting completion bash)'],
  async run({ argument, out }) {
    const shell = SHELLS.find((known) => known === argument('shell'));
    if (!shell) throw new UsageError(`The shell must be one of ${SHELLS.join(', ')}.`);
    out.part(SCRIPTS[shell]);
  },
};

export const shellCommands: readonly Command[] = [open, completion];
