import { Button, Group, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { type Availability, useCheck } from '../domains/api.ts';
import { rand } from '../ui/money.ts';
import { Loaded } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { Status } from '../ui/Status.tsx';
import { ButtonLink } from '../ui/TextLink.tsx';

/** Is a name free, and what does it cost? */
export function DomainSearch() {
  const [text, setText] = useState('');
  const [asked, setAsked] = useState('');
  const check = useCheck(asked);
  const search = (event: FormEvent) => {
    event.preventDefault();
    setAsked(text.trim());
  };
  return (
    <Section title="Find a name">
      <search>
        <form onSubmit={search}>
          <Group gap="xs" align="flex-end">
            <TextInput
              label="Name"
              placeholder="my-shop or my-shop.co.za"
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              style={{ flex: '1 1 14rem' }}
            />
            <Button type="submit" loading={check.isFetching} disabled={text.trim() === ''}>
              Search
            </Button>
          </Group>
        </form>
      </search>
      {asked !== '' && (
        <div aria-live="polite">
          <Loaded query={check}>
            {({ data }) => (
              <div className="card">
                {data.map((found) => (
                  <Found key={found.domain} found={found} />
                ))}
              </div>
            )}
          </Loaded>
        </div>
      )}
    </Section>
  );
}

const Found = ({ found: { domain, available, premium, price } }: { found: Availability }) => (
  <Group className="row" justify="space-between" gap="sm">
    <Group gap="sm">
      <Text fw={600} className="break">
        {domain}
      </Text>
      <Status of={available ? (premium ? 'PREMIUM' : 'AVAILABLE') : 'TAKEN'} />
    </Group>
    {available && !premium && (
      <Group gap="sm">
        <Text size="sm">{rand(price)} a year, without VAT</Text>
        <ButtonLink href={`/domains/order/${encodeURIComponent(domain)}`} size="xs" aria-label={`Order ${domain}`}>
          Order
        </ButtonLink>
      </Group>
    )}
  </Group>
);
