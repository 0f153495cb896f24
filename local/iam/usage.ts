import { isObject, type JsonObject } from '../template/intrinsics.ts';
import { matchesAction, matchesResource } from './patterns.ts';
import type { Statement } from './policies.ts';

/** A granted right: an action of a role on one resource of its policies, with its conditions. */
export interface GrantedRight {
  role: string;
  action: string;
  resource: string;
  condition?: JsonObject;
}

/** The granted rights of a run's roles, and the used ones. */
export interface Usage {
  /** Records the statements that allowed a request. */
  note(role: string, access: { action: string; resource: string }, statements: readonly Statement[]): void;
  /** Returns the keys of all granted rights. */
  granted(): string[];
  /** Returns the keys ({@link rightKey}) of the used rights. */
  used(): string[];
}

/** Returns a string that identifies a right. */
export const rightKey = ({ role, action, resource, condition }: GrantedRight): string =>
  [role.split('/').at(-1), action, resource, ...(condition ? [JSON.stringify(condition)] : [])].join(' ');

const rightOf = (role: string, action: string, resource: string, { document }: Statement): GrantedRight => {
  const { Condition: condition } = document;
  return { role, action, resource, ...(isObject(condition) ? { condition } : {}) };
};

/** Creates the record of the rights that a run's requests use. */
export function createUsage(roles: ReadonlyMap<string, readonly Statement[]>): Usage {
  const used = new Set<string>();
  // Policies never change, and a report is written every few seconds.
  let granted: string[] | undefined;
  const grantedKeys = (): string[] => {
    const rights = [...roles].flatMap(([role, statements]) =>
      statements
        .filter(({ effect }) => effect === 'Allow')
        .flatMap((statement) =>
          statement.actions.flatMap((action) =>
            statement.resources.map((resource) => rightKey(rightOf(role, action, resource, statement))),
          ),
        ),
    );
    return [...new Set(rights)];
  };
  return {
    note(role, access, statements) {
      for (const statement of statements) {
        for (const action of statement.actions.filter((each) => matchesAction(each, access.action))) {
          for (const resource of statement.resources.filter((each) => matchesResource(each, access.resource))) {
            used.add(rightKey(rightOf(role, action, resource, statement)));
          }
        }
      }
    },
    granted: () => {
      granted ??= grantedKeys();
      return granted;
    },
    used: () => [...used],
  };
}
