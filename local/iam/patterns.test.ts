import { expect, test } from 'vitest';
import { isAllowed } from '../emulators/sts/sessions.ts';
import { matchesAction, matchesResource } from './patterns.ts';

test.each<[pattern: string, action: string, matches: boolean]>([
  ['s3:GetObject', 's3:GetObject', true],
  ['S3:getobject', 's3:GetObject', true],
  ['s3:Get*', 's3:GetObject', true],
  ['s3:?etObject', 's3:GetObject', true],
  ['*', 's3:GetObject', true],
  ['s3:Get', 's3:GetObject', false],
  ['s3.GetObject', 's3:GetObject', false],
])('the action %s matches %s: %s', (pattern, action, matches) => {
  expect(matchesAction(pattern, action)).toBe(matches);
});

test.each<[pattern: string, resource: string, matches: boolean]>([
  ['arn:aws:s3:::builds/a*', 'arn:aws:s3:::builds/a/b', true],
  ['arn:aws:s3:::builds/a?c', 'arn:aws:s3:::builds/abc', true],
  ['arn:aws:s3:::builds/a(1)+', 'arn:aws:s3:::builds/a(1)+', true],
  ['arn:aws:s3:::builds/A*', 'arn:aws:s3:::builds/a/b', false],
  ['arn:aws:s3:::builds/a', 'arn:aws:s3:::builds/ab', false],
])('the resource %s matches %s: %s', (pattern, resource, matches) => {
  expect(matchesResource(pattern, resource)).toBe(matches);
});

test('the policy of a session compares actions as IAM does', () => {
  const Resource = ['arn:aws:s3:::builds/?.json'];
  const policy = { Statement: [{ Effect: 'Allow' as const, Action: ['S3:get*'], Resource }] };
  const allows = (action: string, key: string) =>
    isAllowed({ role: '', name: '', expiresAt: 0, policy }, action, `arn:aws:s3:::builds/${key}`);
  expect([
    allows('s3:GetObject', '1.json'),
    allows('s3:PutObject', '1.json'),
    allows('s3:GetObject', '10.json'),
  ]).toEqual([true, false, false]);
});
