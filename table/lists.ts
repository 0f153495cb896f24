import type { Entity } from './entity.ts';

/** Returns the key attributes of an entity's list, and the parameters of a query for its items, or only for their keys. */
export const listOf = <T, K>({ list }: Entity<T, K>) =>
  list
    ? { pk: 'listPk', sk: 'listSk', from: { IndexName: 'list' }, keysFrom: { IndexName: 'order' } }
    : {
        pk: 'pk',
        sk: 'sk',
        from: { ConsistentRead: true },
        keysFrom: { ConsistentRead: true, ProjectionExpression: 'pk, sk' },
      };
