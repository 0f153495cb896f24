import { expect, test } from 'vitest';
import { initialValues, suggestName, toBody } from './new-app-form.ts';

test.each([
  ['https://github.com/you/my-shop.git', 'my-shop'],
  ['https://github.com/you/my-shop/', 'my-shop'],
  ['git@github.com:you/api.git', 'api'],
  ['', ''],
])('the repository %s suggests the name “%s”', (url, name) => expect(suggestName(url)).toBe(name));

test('a link fills in the repository and its name', () => {
  const { repoUrl, name } = initialValues('?repository=https%3A%2F%2Fgit.localhost%2Fhello-express.git');
  expect([repoUrl, name]).toEqual(['https://git.localhost/hello-express.git', 'hello-express']);
});

test('a chosen framework wins over the detected one, and empty fields are not sent', () => {
  const values = { ...initialValues(''), name: 'Shop' };
  expect(toBody(values, 'NEXTJS')).toEqual({ name: 'Shop', framework: 'NEXTJS', deployNow: true });
  expect(toBody({ ...values, framework: 'NUXT' }, 'NEXTJS').framework).toBe('NUXT');
  expect(toBody(values).framework).toBe('NODE');
});
