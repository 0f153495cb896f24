import { BATCH_CASES } from './batch-cases.ts';
import { ITEM_CASES } from './item-cases.ts';
import { LIST_CASES } from './list-cases.ts';

/** Chosen requests for every operation and refusal, by what they show. */
export const CASES = { ...ITEM_CASES, ...LIST_CASES, ...BATCH_CASES };
