import type { createApp } from '../../contract/apps/apps.ts';
import type { FRAMEWORKS, NODE_VERSIONS } from '../../contract/enums.ts';
import type { CallerInput } from '../../contract/route.ts';

type Body = NonNullable<CallerInput<typeof createApp>['body']>;
export type Framework = (typeof FRAMEWORKS)[number];

const INITIAL_VALUES = {
  repoUrl: '',
  name: '',
  /** Empty: the detected framework. */
  framework: '' as '' | Framework,
  branch: '',
  nodeVersion: '' as '' | (typeof NODE_VERSIONS)[number],
  customDomain: '',
  rootDirectory: '',
  installCommand: '',
  buildCommand: '',
  startFile: '',
  startCommand: '',
  healthCheckPath: '',
  deployNow: true,
};
export type NewAppValues = typeof INITIAL_VALUES;

/** Fields of the advanced settings. */
export const ADVANCED: readonly (keyof NewAppValues)[] = [
  'nodeVersion',
  'customDomain',
  'rootDirectory',
  'installCommand',
  'buildCommand',
  'startFile',
  'startCommand',
  'healthCheckPath',
];

/** Returns the name that a repository suggests: `https://host/you/my-shop.git` is `my-shop`. */
export const suggestName = (repoUrl: string): string => /([^/:]+?)(?:\.git)?\/*$/.exec(repoUrl.trim())?.[1] ?? '';

/** Returns the initial values. A link to the form may name the repository: `/apps/new?repository=…`. */
export function initialValues(search: string): NewAppValues {
  const repoUrl = new URLSearchParams(search).get('repository') ?? '';
  return { ...INITIAL_VALUES, repoUrl, name: suggestName(repoUrl) };
}

/**
 * Converts the form to a request. Empty fields are omitted, so that the contract's defaults apply. If the user chose no framework, the
 * detected one applies; `NODE` is built and started as package.json says.
 */
export function toBody({ name, framework, deployNow, ...texts }: NewAppValues, detected: Framework = 'NODE'): Body {
  const given = Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''));
  return { ...given, name, framework: framework || detected, deployNow };
}
