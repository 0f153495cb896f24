/** A new way of doing something that exists beside the old one for a while. */
interface FlagRule {
  label: string;
  /** The effect where it is on, and where it is off, in a sentence each. */
  does: string;
  /** The area whose people decide about it and remove it. */
  owner: string;
  /** The day from which it is overdue (UTC): one of the two ways is to be removed before. Operators get a ticket from then on. */
  ends: string;
  /** True if it is on while operators have set nothing. */
  default: boolean;
}

/**
 * The feature flags. Operators turn each on or off for all accounts, for a share of them, or for one; what they say is data in the
 * table, beside the switches (docs/decisions/0057-releases-and-restore.md). A flag is removed together with the way that lost.
 */
export const FLAGS = {
  'ai-keep-alive': {
    label: 'AI calls stay connected',
    does: 'On: an answer that is not whole after 90 seconds begins with spaces or comments. Off: it is silent, and the edge ends it.',
    owner: 'ai',
    ends: '2027-03-31',
    default: true,
  },
} as const satisfies Record<string, FlagRule>;

export type FlagName = keyof typeof FLAGS;
export const FLAG_NAMES = Object.keys(FLAGS) as FlagName[];

/** Returns the rule of a flag. */
export const flagRule = (name: FlagName): FlagRule => FLAGS[name];

/** Returns the flags whose end has come. */
export const expiredFlags = (now: Date, rules: Readonly<Record<string, Pick<FlagRule, 'ends'>>> = FLAGS): string[] =>
  Object.entries(rules).flatMap(([name, { ends }]) => (now.toISOString().slice(0, 10) >= ends ? [name] : []));
