import { Button, Group, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { toFailure } from '../api/failure.ts';
import { formatRand } from '../ui/money.ts';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { Status } from '../ui/Status.tsx';
import { ButtonLink } from '../ui/TextLink.tsx';
import { type Availability, useAvailability } from './api.ts';

/** Search for available domains and their prices. */
export function DomainSearch() {
  // In the URL, so that Back brings the results back.
  const query = new URLSearchParams(useSearch()).get('q') ?? '';
  const [, navigate] = useLocation();
  const [text, setText] = useState(query);
  const check = useAvailability(query);
  const search = (event: FormEvent) => {
    event.preventDefault();
    navigate(`/domains?q=${encodeURIComponent(text.trim())}`, { replace: query !== '' });
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
          {isInvalid(check.error) ? (
            <Text size="sm" c="var(--bad)" role="alert">
              “{query}” is not a domain name. Use letters, digits and hyphens, for example my-shop or my-shop.co.za.
            </Text>
          ) : (
            <QueryBoundary query={check}>
              {({ data }) => (
                <div className="card">
                  {data.map((result) => (
                    <SearchResult key={result.domain} result={result} />
                  ))}
                </div>
              )}
            </QueryBoundary>
          )}
        </div>
      )}
    </Section>
  );
}

/** True if the API refused the name that was searched for. Other errors are shown as they are. */
const isInvalid = (error: unknown): boolean => error !== null && toFailure(error).code === 'invalid_request';

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
