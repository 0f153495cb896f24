import { expect, test } from 'vitest';
import { indexUrls } from './function-urls.ts';
import type { Configuration, LambdaFunction } from './functions.ts';

const configuration = (Version: string): Configuration => ({
  FunctionName: 'shop',
  FunctionArn: 'arn:shop',
  Runtime: 'nodejs24.x',
  Role: 'role',
  Handler: 'run.sh',
  Version,
  CodeSize: 1,
  CodeSha256: 'code',
  Description: '',
  Timeout: 3,
  MemorySize: 128,
  LastModified: '',
  Layers: [],
  Environment: { Variables: {} },
  Architectures: ['arm64'],
  RevisionId: '1',
  PackageType: 'Zip',
  State: 'Active',
  LastUpdateStatus: 'Successful',
});
const url = (host: string, AuthType = 'NONE') => ({
  FunctionUrl: `https://${host}/`,
  FunctionArn: 'arn:shop:live',
  AuthType,
  InvokeMode: 'BUFFERED',
  CreationTime: '',
  LastModifiedTime: '',
});
function shop(): LambdaFunction {
  const live = { AliasArn: 'arn:shop:live', Name: 'live', FunctionVersion: '1', Description: '', RevisionId: '1' };
  return {
    latest: configuration('$LATEST'),
    versions: { 1: configuration('1'), 2: configuration('2') },
    lastVersion: 2,
    aliases: { live },
    urls: { live: url('first.example') },
    policy: {},
    tags: {},
  };
}

test('finds what an open URL invokes, also after its alias has moved', () => {
  const functions = { shop: shop() };
  const urls = indexUrls(functions);
  expect(urls.find('first.example')?.Version).toBe('1');
  Object.assign(functions.shop.aliases.live ?? {}, { FunctionVersion: '2' });
  expect(urls.find('first.example')?.Version).toBe('2');
  expect(urls.find('other.example')).toBeUndefined();
});

test('a URL that is deleted, replaced or closed to visitors is no longer found', () => {
  const functions: Record<string, LambdaFunction> = { shop: shop() };
  const urls = indexUrls(functions);
  functions.shop = { ...shop(), urls: { live: url('second.example') } };
  urls.update('shop');
  expect(urls.find('first.example')).toBeUndefined();
  expect(urls.find('second.example')?.Version).toBe('1');
  functions.shop = { ...shop(), urls: { live: url('second.example', 'AWS_IAM') } };
  urls.update('shop');
  expect(urls.find('second.example')).toBeUndefined();
  delete functions.shop;
  urls.update('shop');
  expect(urls.find('first.example')).toBeUndefined();
});
