import { Group, Loader, Stack, Text } from '@mantine/core';
import { parseRepositoryAddress } from '../../contract/apps/repositories.ts';
import { toFailure } from '../api/failure.ts';
import type { useRepository } from './api.ts';

/** The detected settings of a repository, or the problem with it, before an application is created. */
export function RepositoryFindings({ url, query }: { url: string; query: ReturnType<typeof useRepository> }) {
  const { data, error, isFetching } = query;
  return (
    <div className="findings" aria-live="polite" aria-busy={isFetching}>
      {parseRepositoryAddress(url)?.scheme === 'ssh' ? (
        <Text size="sm" c="dimmed">
          Private repository: turn off “Deploy after creation”, add the deploy key from the application's Git tab at
          your Git host, then deploy.
        </Text>
      ) : isFetching && !data ? (
        <Group gap="xs">
          <Loader size="xs" />
          <Text size="sm">Reading the repository…</Text>
        </Group>
      ) : error && !data ? (
        <Text size="sm" c="var(--bad)">
          {toFailure(error).message}
        </Text>
      ) : (
        data && <Findings {...data.data} />
      )}
    </div>
  );
}

type FindingsProps = NonNullable<ReturnType<typeof useRepository>['data']>['data'];

function Findings({ problem, branch, branches, hasMoreBranches, detected, notes }: FindingsProps) {
  if (problem !== null) {
    return (
      <Text size="sm" c="var(--bad)" className="break">
        {problem}
      </Text>
    );
  }
  const rows = detected && [
    ['Framework', detected.framework ?? 'Node.js'],
    ['Package manager', detected.packageManager ?? 'none'],
    ['Node version', detected.nodeVersion],
    ['Build', detected.buildCommand ?? 'no build'],
    ['Start', detected.start ?? 'detected after the build'],
  ];
  return (
    <Stack className="card" p="md" gap="xs">
      <Text size="sm" fw={600}>
        {branches.length === 1 ? '1 branch' : `${branches.length}${hasMoreBranches ? '+' : ''} branches`}
        {branch !== null && detected && (
          <>
            . Detected on <code>{branch}</code>:
          </>
        )}
      </Text>
      {rows && (
        <dl className="facts">
          {rows.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd className="break">{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {notes.map((note) => (
        <Text key={note} size="sm" c="dimmed" className="break">
          {note}
        </Text>
      ))}
    </Stack>
  );
}
