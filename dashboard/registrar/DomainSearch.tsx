import { Button, Group, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { formatRand } from '../ui/money.ts';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { Status } from '../ui/Status.tsx';
import { ButtonLink } from '../ui/TextLink.tsx';
import { type Availability, useAvailability } from './api.ts';

/** Search for available domains and their prices. */
export function DomainSearch() {
  const [text, setText] = useState('');
  const [query, setQuery] = useState('');
  const check = useAvailability(query);
  const search = (event: FormEvent) => {
    event.preventDefault();
    setQuery(text.trim());
  };
  return (
    <Section title="Search for a domain">
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
      {query !== '' && (
        <div aria-live="polite">
          <QueryBoundary query={check}>
            {({ data }) => (
              <div className="card">
                {data.map((result) => (
                  <SearchResult key={result.domain} result={result} />
                ))}
              </div>
            )}
          </QueryBoundary>
        </div>
      )}
    </Section>
  );
}

const SearchResult = ({ result: { domain, available, premium, price } }: { result: Availability }) => (
  <Group className="row" justify="space-between" gap="sm">
    <Group gap="sm">
      <Text fw={600} className="break">
        {domain}
      </Text>
      <Status value={available ? (premium ? 'PREMIUM' : 'AVAILABLE') : 'TAKEN'} />
    </Group>
    {available && !premium && (
      <Group gap="sm">
        <Text size="sm">{formatRand(price)}/year excl. VAT</Text>
        <ButtonLink href={`/domains/order/${encodeURIComponent(domain)}`} size="xs" aria-label={`Register ${domain}`}>
          Register
        </ButtonLink>
      </Group>
    )}
  </Group>
);
