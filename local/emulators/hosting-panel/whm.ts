import * as z from 'zod';

export const Account = z.object({
  domain: z.string(),
  plan: z.string(),
  suspended: z.boolean(),
  /** The mail routing: `local`, `remote`, `secondary` or `auto`. */
  mail: z.string().default('auto'),
  mailboxes: z.array(z.object({ email: z.string(), quotaBytes: z.number(), usedBytes: z.number() })),
});
export type Account = z.output<typeof Account>;

export const MIB = 1024 * 1024;

/** Thrown for a command that WHM refuses. WHM answers it with HTTP 200 and the reason in the metadata. */
export class CommandRefused extends Error {}
const refuse = (reason: string): never => {
  throw new CommandRefused(reason);
};

/** Returns the mailboxes that every new account has. */
const mailboxesOf = (domain: string): Account['mailboxes'] => [
  { email: `info@${domain}`, quotaBytes: 1024 * MIB, usedBytes: 12 * MIB },
  { email: `sales@${domain}`, quotaBytes: 0, usedBytes: 3 * MIB },
];

/** Disk quotas of the server's packages in GiB, as plans of the same names include them. */
const QUOTAS_GIB = new Map([
  ['web-starter', 10],
  ['web-business', 50],
  ['web-pro', 150],
  ['email-basic', 10],
  ['email-business', 50],
]);
/** Returns the disk quota of a package in MiB. */
const diskQuotaMib = (plan: string): number => (QUOTAS_GIB.get(plan) ?? 10) * 1024;

/** UAPI functions. They mix numbers and strings as cPanel does. */
const FUNCTIONS: Record<string, (account: Account, parameters: URLSearchParams) => unknown[]> = {
  'Email::set_always_accept': (account, parameters) => {
    account.mail = parameters.get('cpanel.mxcheck') ?? 'auto';
    return [];
  },
  'Email::list_mxs': ({ domain, mail }) => [{ domain, mxcheck: mail, alwaysaccept: mail === 'local' ? 1 : 0 }],
  'Email::list_pops_with_disk': ({ mailboxes }) =>
    mailboxes.map(({ email, quotaBytes, usedBytes }) => ({
      email,
      login: email,
      user: email.split('@')[0],
      domain: email.split('@')[1],
      _diskquota: quotaBytes === 0 ? 0 : String(quotaBytes),
      _diskused: usedBytes,
      diskquota: quotaBytes === 0 ? 'unlimited' : String(quotaBytes / MIB),
      diskused: String(usedBytes / MIB),
      suspended_login: 0,
    })),
  'ResourceUsage::get_usages': ({ plan, mailboxes }) => [
    usage('disk_usage', 'Disk Usage', String(40 * MIB), diskQuotaMib(plan) * MIB, 'format_bytes'),
    usage('bandwidth', 'Bandwidth', '734003200', null, 'format_bytes'),
    usage('email_accounts', 'Email Accounts', String(mailboxes.length), 100, null),
  ],
};
const usage = (id: string, description: string, used: string, maximum: number | null, formatter: string | null) => ({
  id,
  description,
  usage: used,
  maximum,
  formatter,
  error: null,
  url: null,
});

/** A call of WHM API 1 to a server. */
export interface WhmCall {
  /** Accounts of the server, by user name. */
  accounts: Record<string, Account>;
  /** User name of the call's account. */
  name: string;
  parameters: URLSearchParams;
  /** Opens a session of the account and returns WHM's description of it. */
  openSession(): object;
}

const findAccount = ({ accounts, name }: WhmCall): Account =>
  accounts[name] ?? refuse(`The user “${name}” does not exist.`);

/** WHM's commands. They throw {@link CommandRefused}. */
const COMMANDS: Readonly<Record<string, (call: WhmCall) => unknown>> = {
  accountsummary({ accounts, name }) {
    const { domain, plan, suspended } = accounts[name] ?? refuse('Account does not exist.');
    const disk = { disklimit: `${diskQuotaMib(plan)}M`, diskused: '40M' };
    return { acct: [{ user: name, domain, plan, suspended: suspended ? 1 : 0, ...disk }] };
  },
  createacct({ accounts, name, parameters }) {
    const domain = parameters.get('domain') ?? '';
    if (!/^[a-z][a-z0-9]{0,15}$/.test(name)) refuse(`Sorry, “${name}” is not a valid username.`);
    if ((parameters.get('password') ?? '').length < 8) refuse('Sorry, the password is too weak.');
    if (accounts[name]) refuse(`Sorry, a group for that username already exists.`);
    if (domain.startsWith('refused-') || Object.values(accounts).some((account) => account.domain === domain)) {
      refuse(`Sorry, the domain “${domain}” already exists on this server.`);
    }
    accounts[name] = {
      domain,
      plan: parameters.get('plan') ?? 'default',
      suspended: false,
      mail: parameters.get('mxcheck') ?? 'auto',
      mailboxes: mailboxesOf(domain),
    };
    return { ip: '127.0.0.1', package: parameters.get('plan') };
  },
  changepackage(call) {
    findAccount(call).plan = call.parameters.get('pkg') || refuse('“pkg” is a required parameter.');
    return {};
  },
  suspendacct(call) {
    findAccount(call).suspended = true;
    return {};
  },
  unsuspendacct(call) {
    findAccount(call).suspended = false;
    return {};
  },
  removeacct(call) {
    findAccount(call);
    delete call.accounts[call.name];
    return {};
  },
  create_user_session(call) {
    findAccount(call);
    if (call.parameters.get('service') !== 'cpaneld') refuse('Invalid service.');
    return call.openSession();
  },
  uapi_cpanel(call) {
    const account = findAccount(call);
    const { name, parameters } = call;
    if (account.suspended && account.domain.startsWith('locked-')) refuse(`The user “${name}” is suspended.`);
    return callFunction(
      `${parameters.get('cpanel.module')}::${parameters.get('cpanel.function')}`,
      account,
      parameters,
    );
  },
};

/** Calls a UAPI function and returns its result in WHM's wrapper. */
function callFunction(functionName: string, account: Account, parameters: URLSearchParams): object {
  const uapiFunction = FUNCTIONS[functionName];
  const errors = uapiFunction ? null : [`The system could not find the function “${functionName}”.`];
  const data = uapiFunction?.(account, parameters) ?? null;
  return { uapi: { status: uapiFunction ? 1 : 0, errors, messages: null, warnings: null, data } };
}

/** Runs a command and returns its data. Throws {@link CommandRefused}, also for an unknown command. */
export function runCommand(command: string, call: WhmCall): unknown {
  const run = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined;
  return run ? run(call) : refuse(`Unknown app (“${command}”) requested for this version (1) of the API.`);
}
