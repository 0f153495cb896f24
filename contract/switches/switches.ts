import { AI_PROVIDER_IDS } from '../enums.ts';

/** A part of the platform that operators can switch off. */
interface SwitchRule {
  label: string;
  /** The effect of turning it off, in one sentence. */
  stops: string;
  /** The kind of thing that it names, where there are several switches of this kind. */
  target?: string;
  /** True for a mode, which is on while what it stops is off. */
  isMode?: true;
}

/**
 * Everything that operators can switch off, each with a message that customers read (docs/decisions/0048-operators.md). What an
 * operation needs is in its route (`stoppedBy`); `read-only` stops everything that is no GET.
 */
export const SWITCHES = {
  'sign-up': { label: 'Sign-up', stops: 'A first login opens no account.' },
  deployments: { label: 'Deployments', stops: 'No deployment starts, from the API, the dashboard or a push.' },
  'build-region': {
    label: 'Build region',
    stops: 'No build is submitted in the region; builds wait.',
    target: 'region',
  },
  'ai-provider': { label: 'AI provider', stops: 'No call reaches the provider.', target: 'provider' },
  'ai-model': { label: 'AI model', stops: 'No call reaches the model.', target: 'provider/model' },
  credits: { label: 'AI credits', stops: 'No credits are bought, and no call is paid from them.' },
  'domain-orders': { label: 'Domain orders', stops: 'No domain is ordered.' },
  deliveries: { label: 'Deliveries', stops: 'No webhook delivery is attempted; all wait.' },
  'top-ups': { label: 'Top-ups', stops: 'No card payment starts, and none is made automatically.' },
  'read-only': {
    label: 'Read-only mode',
    stops: 'Nothing is changed by any request of a customer.',
    isMode: true,
  },
} as const satisfies Record<string, SwitchRule>;

export type SwitchName = keyof typeof SWITCHES;
export const SWITCH_NAMES = Object.keys(SWITCHES) as SwitchName[];

/** Returns the rule of a switch. */
export const switchRule = (name: SwitchName): SwitchRule => SWITCHES[name];

const isProvider = (text: string | undefined) => AI_PROVIDER_IDS.some((id) => id === text);

/**
 * Returns what is wrong with the target of a switch: an unknown one would stop nothing, and look as if it did. Models may
 * be such that are not on sale.
 */
export function targetProblem(name: SwitchName, target: string | undefined): string | undefined {
  const kind = switchRule(name).target;
  if (kind === undefined) return target === undefined ? undefined : 'this switch has none';
  if (target === undefined) return `name a ${kind}`;
  if (kind === 'region') return /^[a-z]{2}(?:-[a-z]+)+-\d$/.test(target) ? undefined : 'a region is named as eu-west-1';
  const [provider, model] = target.split(/\/(.*)/s);
  if (!isProvider(provider)) return `the providers are ${AI_PROVIDER_IDS.join(', ')}`;
  if (kind === 'provider') return model === undefined ? undefined : 'name a provider without a model';
  return model ? undefined : `name the model too: ${provider}/…`;
}

/** Seconds after which a refused client tries again. */
export const SWITCH_RETRY_AFTER_S = 60;
/** Functions notice a change of a switch after this many seconds at the latest. */
export const SWITCH_CACHE_S = 8;
