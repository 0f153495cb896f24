import type { Refusal } from './refusals.ts';

/** Names of the settings of a session that a client may change. DSQL refuses all others. */
const SETTINGS =
  'application_name|client_encoding|datestyle|extra_float_digits|intervalstyle|timezone|search_path|role|enable_\\w+|dsql\\.\\w+|disable_sync_create_index';

/** The refusal of other settings, which a client also makes when it connects. */
export const OTHER_SETTINGS: Refusal & { hint: string } = {
  feature: 'settings of a session such as statement_timeout, lock_timeout and client_min_messages',
  hint: 'Omit them. Sequelize: dialectOptions: { clientMinMessages: "ignore" }. A time limit for pg: query_timeout.',
  source: 'https://docs.aws.amazon.com/aurora-dsql/latest/userguide/accessing.html',
};

/** Matches a statement that changes another setting. Quoted names are not examined. */
export const SET_OTHER = new RegExp(
  `^SET (?!(SESSION |LOCAL )?((${SETTINGS}|"") ?(=|TO\\b)|TIME ZONE|NAMES|ROLE|CONSTRAINTS|AUTHORIZATION))`,
  'i',
);

/** Returns true if a client may change a setting. */
export const isSetting = (name: string): boolean => new RegExp(`^(${SETTINGS})$`, 'i').test(name);
