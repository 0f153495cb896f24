import type { Adapter } from './adapter.ts';
import { anthropic } from './anthropic.ts';
import { openAiCompatible } from './openai-compatible.ts';
import type { Provider } from './registry.ts';

const ADAPTERS: Readonly<Record<Provider['kind'], Adapter>> = { openai: openAiCompatible, anthropic };

/** Returns the adapter for a provider's wire format. */
export const adapterFor = ({ kind }: Pick<Provider, 'kind'>): Adapter => ADAPTERS[kind];
