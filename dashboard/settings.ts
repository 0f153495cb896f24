/** URLs of this installation's login and API, from `/dashboard/settings.json`, which the deployment writes. */
export interface Settings {
  /** The OIDC issuer: Cognito's user pool, or the local run's. */
  issuer: string;
  clientId: string;
  /** Base URL of the API. Empty: the dashboard's own origin. */
  apiUrl: string;
  /** URL of a repository that a new user can deploy in one click. Empty: none is offered. */
  exampleRepository: string;
}

function isSettings(value: unknown): value is Settings {
  const { issuer, clientId, apiUrl, exampleRepository } = (value ?? {}) as Partial<Record<keyof Settings, unknown>>;
  return [issuer, clientId, apiUrl, exampleRepository].every((field) => typeof field === 'string');
}

/** Reads the settings. Throws if they are missing or incomplete. */
export async function readSettings(): Promise<Settings> {
  const response = await fetch(`${import.meta.env.BASE_URL}settings.json`);
  const settings: unknown = response.ok ? await response.json() : undefined;
  if (!isSettings(settings)) throw new Error(`The dashboard's settings could not be read (${response.status}).`);
  return settings;
}
