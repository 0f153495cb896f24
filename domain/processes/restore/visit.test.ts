import { expect, test } from 'vitest';
import { collectProblems } from './visit.ts';

test('a report names the first fifty problems and counts the others', () => {
  const problems = collectProblems<number>();
  for (let problem = 1; problem <= 50; problem += 1) problems.add(problem);
  expect(problems.report()).not.toHaveProperty('moreProblems');
  for (let problem = 51; problem <= 53; problem += 1) problems.add(problem);
  expect(problems.report()).toMatchObject({ problems: { length: 50 }, moreProblems: 3 });
});
