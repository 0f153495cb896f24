import { AI_PROVIDER_IDS } from '../enums.ts';

/** A part of the platform that operators can switch off. */
interface SwitchRule {
  label: string;
  /** The effect of turning it off, in one sentence. */
  stops: string;
  /** The kind of target, for a switch that exists once for each target. */
  target?: string;
  /** True for a mode: it is shown as on while the switch is off. */
  isMode?: true;
}

/**
 * The parts of the platform that operators can switch off, with a message for customers (docs/decisions/0048-operators.md). An
 * operation's route names the switches that stop it (`stoppedBy`). `read-only` stops every operation other than GET.
 */
export const SWITCHES = {
  'sign-up': { label: 'Sign-up', stops: 'New logins cannot open an account.' },
  deployments: { label: 'Deployments', stops: 'No deployment starts from the API, the dashboard or a push.' },
  'build-region': {
    label: 'Build region',
    stops: 'No build is submitted in the region; builds wait.',
    target: 'region',
  },
  'ai-provider': { label: 'AI provider', stops: 'No call reaches the provider.', target: 'provider' },
  'ai-model': { label: 'AI model', stops: 'No call reaches the model.', target: 'provider/model' },
  credits: { label: 'AI credits', stops: 'Credits cannot be bought, and no call is paid from them.' },
  'domain-orders': { label: 'Domain orders', stops: 'Domains cannot be ordered.' },
  deliveries: { label: 'Deliveries', stops: 'No webhook delivery is attempted; all wait.' },
  'top-ups': { label: 'Top-ups', stops: 'No card payment starts, and none is made automatically.' },
  'read-only': {
    label: 'Read-only mode',
    stops: 'Requests from customers cannot change anything.',
    isMode: true,
  },
} as const satisfies Record<string, SwitchRule>;

export type SwitchName = keyof typeof SWITCHES;
export const SWITCH_NAMES = Object.keys(SWITCHES) as SwitchName[];

/** Returns the rule of a switch. */
export const switchRule = (name: SwitchName): SwitchRule => SWITCHES[name];

const isProvider = (text: string | undefined) => AI_PROVIDER_IDS.some((id) => id === text);

/**
 * Returns the problem with the target of a switch; undefined if it is valid. An unknown target is refused, because the switch would
 * appear to stop something and would not. A model does not have to be on offer.
 */
export function targetProblem(name: SwitchName, target: string | undefined): string | undefined {
  const kind = switchRule(name).target;
  if (kind === undefined) return target === undefined ? undefined : 'this switch has no target';
  if (target === undefined) return `name a ${kind}`;
  if (kind === 'region')
    return /^[a-z]{2}(?:-[a-z]+)+-\d$/.test(target) ? undefined : 'must be a region such as eu-west-1';
  const [provider, model] = target.split(/\/(.*)/s);
  if (!isProvider(provider)) return `the providers are ${AI_PROVIDER_IDS.join(', ')}`;
  if (kind === 'provider') return model === undefined ? undefined : 'name a provider without a model';
  return model ? undefined : `name the model too: ${provider}/…`;
}

/** The seconds after which a refused client may retry. */
export const SWITCH_RETRY_AFTER_S = 60;
/** The longest time in seconds until functions notice a change of a switch. */
export const SWITCH_CACHE_S = 8;
