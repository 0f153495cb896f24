import { parseMoney } from '../ui/money.ts';

/** Properties of the input for a key's budget for AI credits. */
export const AI_BUDGET_FIELD = {
  label: 'Monthly AI budget in rand',
  description:
    'Once it is spent, calls on AI credits are refused until the next month (UTC). Leave empty for no budget.',
  placeholder: '100.00',
  inputMode: 'decimal',
} as const;

/** Returns the budget in the API's format; null (no budget) for an empty text. */
export const toAiBudget = (text: string): string | null => (text.trim() === '' ? null : parseMoney(text));

/** Returns the share of its budget that a key has spent; undefined without a budget. */
export const budgetShare = ({ aiBudget, aiSpent }: { aiBudget: string | null; aiSpent: string }): number | undefined =>
  aiBudget === null ? undefined : Number(aiSpent) / Number(aiBudget);
