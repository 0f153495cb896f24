import { configure } from '../../lib/config.ts';
import { accountOf, checkBootstraps, checkCaller, checkRegion, regionsOf } from './account.ts';
import { checkBuilds } from './builds.ts';
import { type Check, mapLimited, type Row } from './check.ts';
import { openClients } from './clients.ts';
import { checkDatabases } from './databases.ts';
import { checkCellDomain, checkDomains } from './domains.ts';
import { checkFunctions, checkLayer } from './functions.ts';
import { checkLogPolicies } from './log-policies.ts';
import { checkMail } from './mail.ts';
import { checkLeftovers } from './names.ts';
import { makePlan, type Plan } from './plan.ts';
import { checkCellQuotas, checkQuotas } from './quotas.ts';
import type { Invocation } from './settings.ts';
import { checkTemplates } from './templates.ts';

/** Checks of the platform's own account, in the order of the table. */
const HOME_GROUPS: readonly ((plan: Plan) => Check[])[] = [
  checkDomains,
  checkMail,
  checkFunctions,
  checkBuilds,
  checkDatabases,
  checkQuotas,
];

/** Returns the checks of a usable account, in the order of the table. */
const checksOf = (plan: Plan): Check[] => [
  ...checkBootstraps(plan),
  ...(plan.isHome ? HOME_GROUPS.flatMap((group) => group(plan)) : []),
  ...plan.cells.flatMap((cell) => [...checkCellDomain(cell), checkLayer(cell), ...checkCellQuotas(plan, cell)]),
  ...checkTemplates(plan),
  ...checkLogPolicies(plan),
  ...checkLeftovers(plan),
];

/** Maximum number of concurrent checks, so that their calls stay below the services' rate limits. */
const CHECKS_AT_ONCE = 4;

/** Returns the row of a check that was skipped because the account cannot use its region. */
const leftOut = ({ what, needed, region }: Check): Row => ({
  what,
  needed,
  ok: false,
  found: 'not checked',
  remedy: [`Enable ${region} first, see above.`],
});

/**
 * Runs all checks. Stops if the credentials are not usable, and skips checks in regions that the account cannot use.
 * @param onRow called with each row as soon as it is known, in no particular order
 * @param plan plans the deployment of settings in an account
 */
export async function runPreflight(
  { settings, dnsServers, firstPauseMs }: Omit<Invocation, 'json'> & { firstPauseMs?: number | undefined },
  onRow: (row: Row) => void = () => {},
  plan: typeof makePlan = makePlan,
): Promise<Row[]> {
  const region = settings.region ?? 'us-east-1';
  const clients = openClients({
    region,
    ...(dnsServers ? { dnsServers } : {}),
    ...(firstPauseMs ? { firstPauseMs } : {}),
  });
  const run = async (each: Check): Promise<Row> => {
    const row = await each.run(clients);
    onRow(row);
    return row;
  };
  const { cells } = configure(settings);
  const caller = await run(
    checkCaller(
      settings.account,
      cells.map((cell) => cell.account),
    ),
  );
  const account = accountOf(caller.found);
  if (!caller.ok) return [caller];

  const planned = plan(settings, account);
  const regions = regionsOf(planned);
  const opted = await mapLimited(regions, CHECKS_AT_ONCE, (each) => run(checkRegion(each)));
  const closed = new Set(regions.filter((_, index) => !opted[index]?.ok));
  const checks = checksOf(planned);
  const rows = await mapLimited(checks, CHECKS_AT_ONCE, async (each) =>
    each.region !== undefined && closed.has(each.region) ? leftOut(each) : run(each),
  );
  return [caller, ...opted, ...rows];
}
