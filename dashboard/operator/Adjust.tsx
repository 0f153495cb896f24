import { NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { LIMIT_NAMES, type LimitName, limitRule } from '../../contract/limits/limits.ts';
import { parseMoney } from '../ui/money.ts';
import { toast } from '../ui/toast.ts';
import { useAdjust, useChangeLimits } from './api.ts';
import { ReasonButton } from './ReasonButton.tsx';

const ACCOUNTS = [
  { value: 'wallet', label: 'Wallet' },
  { value: 'credits', label: 'AI credits' },
];

/** Adjusts the wallet or the AI credits of an account. */
export function AdjustMoney({ accountId }: { accountId: string }) {
  const [target, setTarget] = useState('wallet');
  const [amount, setAmount] = useState('');
  const [description, setDescription] = useState('');
  const adjust = useAdjust();
  const confirm = async (reason: string) => {
    const money = { amount: parseMoney(amount) };
    const change = target === 'wallet' ? { wallet: { ...money, description } } : { credits: money };
    await adjust.mutateAsync({ params: { id: accountId }, body: { reason, ...change } });
    // The dialog must not reopen with an amount that was already applied.
    setAmount('');
    toast('Adjusted.');
  };
  return (
    <ReasonButton label="Adjust money" onConfirm={confirm}>
      <NativeSelect
        label="Account"
        value={target}
        onChange={(event) => setTarget(event.currentTarget.value)}
        data={ACCOUNTS}
      />
      <TextInput
        label="Amount"
        description="In rand. A negative amount is deducted."
        placeholder="-12.50"
        value={amount}
        onChange={(event) => setAmount(event.currentTarget.value)}
        autoComplete="off"
      />
      {target === 'wallet' && (
        <TextInput
          label="Description"
          description="Shown to the customer in the wallet"
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
          autoComplete="off"
        />
      )}
    </ReasonButton>
  );
}

const CHANGEABLE = LIMIT_NAMES.filter((name) => !limitRule(name).isFixed);
const OPTIONS = CHANGEABLE.map((value) => ({ value, label: limitRule(value).counts }));

/** Overrides one limit of an account. An empty number restores the plan's limit. */
export function ChangeLimit({ accountId, overrides }: { accountId: string; overrides: Record<string, number> }) {
  const [name, setName] = useState<LimitName>('applications');
  const [value, setValue] = useState('');
  const change = useChangeLimits();
  const confirm = async (reason: string) => {
    const limits = { [name]: value === '' ? null : Number(value) };
    await change.mutateAsync({ params: { id: accountId }, body: { reason, limits } });
    toast('Limit changed.');
  };
  return (
    <ReasonButton label="Change a limit" onConfirm={confirm}>
      <NativeSelect
        label="Limit"
        value={name}
        onChange={({ currentTarget }) => setName(CHANGEABLE.find((known) => known === currentTarget.value) ?? name)}
        data={OPTIONS}
      />
      <TextInput
        label="Number"
        description={`Leave empty for the plan’s limit. Current override: ${overrides[name] ?? 'none'}`}
        type="number"
        value={value}
        onChange={({ currentTarget }) => setValue(currentTarget.value)}
        min={0}
      />
    </ReasonButton>
  );
}
