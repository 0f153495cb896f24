/** The closed sets of values, apart from the schemas that use them: they are needed where no schema is. */
export const FRAMEWORKS = ['NEXTJS', 'NODE', 'EXPRESS', 'NUXT'] as const;
export const NODE_VERSIONS = ['24', '22', '20'] as const;

/** What an application needs when its creator does not say (design, Applications). */
export const FRAMEWORK_DEFAULTS = {
  NEXTJS: { buildCommand: 'npm run build', startFile: '.next/standalone/server.js' },
  NUXT: { buildCommand: 'npm run build', startFile: '.output/server/index.mjs' },
  EXPRESS: { buildCommand: null, startFile: 'server.js' },
  NODE: { buildCommand: null, startFile: 'server.js' },
} as const satisfies Record<(typeof FRAMEWORKS)[number], { buildCommand: string | null; startFile: string }>;

export const DEPLOYMENT_STATUSES = ['QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED'] as const;
export const TRIGGERS = ['API', 'PUSH', 'DASHBOARD', 'ROLLBACK'] as const;

/** Whose models the AI gateway passes on. Our key for each is the variable `<ID>_API_KEY`. */
export const AI_PROVIDER_IDS = [
  'openai',
  'anthropic',
  'google',
  'mistral',
  'groq',
  'deepseek',
  'xai',
  'openrouter',
  'together',
] as const;

/** Kinds of entries in the ledger of AI credits. */
export const AI_ENTRY_TYPES = ['CALL', 'PURCHASE', 'ADJUSTMENT'] as const;
