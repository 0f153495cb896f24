import { Button, Group, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { invalidFieldOf } from '../../contract/errors.ts';
import { toFailure } from '../api/failure.ts';
import { addVat, formatRand } from '../ui/money.ts';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { Status } from '../ui/Status.tsx';
import { ButtonLink } from '../ui/TextLink.tsx';
import { type Availability, isForSale, useAvailability } from './api.ts';

/** Search for available domains and their prices. */
export function DomainSearch() {
  // In the URL, so that Back restores the results.
  const query = new URLSearchParams(useSearch()).get('q') ?? '';
  const [, navigate] = useLocation();
  const [text, setText] = useState(query);
  const check = useAvailability(query);
  const rejection = check.error ? rejectionOf(check.error) : undefined;
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
          {rejection ? (
            <Text size="sm" c="var(--bad)" role="alert" className="break">
              {rejection}
            </Text>
          ) : (
            <QueryBoundary query={check}>
              {({ data }) => (
                <>
                  <div className="card">
                    {data.map((result) => (
                      <SearchResult key={result.domain} result={result} />
                    ))}
                  </div>
                  {!data.some(isForSale) && (
                    <Text size="sm" c="dimmed" mt="xs">
                      None of these can be registered here. Try another name.
                    </Text>
                  )}
                </>
              )}
            </QueryBoundary>
          )}
        </div>
      )}
    </Section>
  );
}

/** Returns the reason why the API rejects the searched name; undefined for other errors, which are shown unchanged. */
function rejectionOf(error: unknown): string | undefined {
  const found = invalidFieldOf(toFailure(error));
  return found && `This name ${found.problem}`;
}

const SearchResult = ({ result }: { result: Availability }) => (
  <Group className="row" justify="space-between" gap="sm">
    <Group gap="sm">
      <Text fw={600} className="break">
        {result.domain}
      </Text>
      <Status value={result.available ? (result.premium ? 'PREMIUM' : 'AVAILABLE') : 'TAKEN'} />
      {result.premium && (
        <Text size="sm" c="dimmed">
          Not sold here
        </Text>
      )}
    </Group>
    {isForSale(result) && (
      <Group gap="sm">
        <Text size="sm">
          {formatRand(addVat(result.price))}/year incl. VAT{' '}
          <Text span size="xs" c="dimmed">
            ({formatRand(result.price)} excl.)
          </Text>
        </Text>
        <ButtonLink
          href={`/domains/order/${encodeURIComponent(result.domain)}`}
          size="xs"
          variant="default"
          aria-label={`Register ${result.domain}`}
        >
          Register
        </ButtonLink>
      </Group>
    )}
  </Group>
);
