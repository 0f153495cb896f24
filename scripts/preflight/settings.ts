import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Settings, type SettingsInput } from '../../lib/config.ts';

const CDK_FILE = resolve(import.meta.dirname, '../../cdk.json');

/** Options of the preflight. All others are settings of the CDK app. */
const OWN = { json: { type: 'boolean', default: false }, 'dns-servers': { type: 'string' } } as const;

const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

export interface Invocation {
  settings: SettingsInput;
  json: boolean;
  dnsServers: string[] | undefined;
}

/**
 * Parses the command line. Accepts every setting of `lib/config.ts` as `--hosted-zone-id Z…` or, like cdk, as `-c hostedZoneId=Z…`. As
 * with cdk, the settings in cdk.json apply too. Throws an error that names an unknown option.
 */
export function readInvocation(args: string[]): Invocation {
  const names = Object.keys(Settings.shape);
  const options = Object.fromEntries(names.map((name) => [kebab(name), { type: 'string' } as const]));
  const context = { type: 'string', short: 'c', multiple: true } as const;
  const { values } = parseArgs({ args, options: { ...options, ...OWN, context } });
  const given: Record<string, unknown> = values;
  const settings: Record<string, unknown> = { ...JSON.parse(readFileSync(CDK_FILE, 'utf8')).context };
  for (const pair of values.context ?? []) {
    const [name = '', ...value] = pair.split('=');
    if (!names.includes(name)) throw new Error(`-c ${pair}: there is no setting ${name} (docs/configuration.md)`);
    settings[name] = value.join('=');
  }
  for (const name of names) if (given[kebab(name)] !== undefined) settings[name] = given[kebab(name)];
  const dnsServers = values['dns-servers']?.split(',');
  return { settings: settings as SettingsInput, json: values.json === true, dnsServers };
}
