/** A feature flag: it selects between an old and a new behavior, until one of them is removed. */
interface FlagRule {
  label: string;
  /** The behavior with the flag on, and with the flag off, in one sentence each. */
  does: string;
  /** The area whose team decides about the flag and removes it. */
  owner: string;
  /** The day (UTC) by which one of the behaviors must be removed. From then on, the flag is overdue and operators get a ticket. */
  ends: string;
  /** True if the flag is on unless operators set it. */
  default: boolean;
}

/**
 * The feature flags. Operators turn a flag on or off for all accounts, for a share of them, or for one; the table stores this next to
 * the switches (docs/decisions/0057-releases-and-restore.md). A flag is removed together with the behavior that is dropped.
 */
export const FLAGS = {
  'ai-keep-alive': {
    label: 'AI calls stay connected',
    does: 'On: a response that is incomplete after 90 seconds is kept alive with spaces or comments. Off: nothing is sent, and the edge ends the call.',
    owner: 'ai',
    ends: '2027-03-31',
    default: true,
  },
} as const satisfies Record<string, FlagRule>;

export type FlagName = keyof typeof FLAGS;
export const FLAG_NAMES = Object.keys(FLAGS) as FlagName[];

/** Returns the rule of a flag. */
export const flagRule = (name: FlagName): FlagRule => FLAGS[name];

/** Returns the names of the overdue flags. */
export const expiredFlags = (now: Date, rules: Readonly<Record<string, Pick<FlagRule, 'ends'>>> = FLAGS): string[] =>
  Object.entries(rules).flatMap(([name, { ends }]) => (now.toISOString().slice(0, 10) >= ends ? [name] : []));
