import type { Entity } from './entity.ts';

/** Returns where the list of an entity is, the names of its keys there, and how to skip over its items. */
export const listOf = <T, K>({ list }: Entity<T, K>) =>
  list
    ? { pk: 'listPk', sk: 'listSk', from: { IndexName: 'list' }, keysFrom: { IndexName: 'order' } }
    : {
        pk: 'pk',
        sk: 'sk',
        from: { ConsistentRead: true },
        keysFrom: { ConsistentRead: true, ProjectionExpression: 'pk, sk' },
      };
