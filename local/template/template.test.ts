import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { JsonObject } from './intrinsics.ts';
import { readTemplate, type Template } from './template.ts';

const directories: string[] = [];
afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
});

/** Writes a cloud assembly of these stacks and reads it back. */
function assembly(stacks: Record<string, JsonObject>, files: JsonObject = {}): Template {
  const directory = mkdtempSync(join(tmpdir(), 'assembly-'));
  directories.push(directory);
  const artifacts: JsonObject = {
    assets: { type: 'cdk:asset-manifest', properties: { file: 'assets.json' } },
  };
  for (const [name, template] of Object.entries(stacks)) {
    writeFileSync(join(directory, `${name}.template.json`), JSON.stringify(template));
    artifacts[name] = {
      type: 'aws:cloudformation:stack',
      environment: 'aws://unknown-account/af-south-1',
      properties: { templateFile: `${name}.template.json` },
    };
  }
  writeFileSync(join(directory, 'assets.json'), JSON.stringify({ files }));
  writeFileSync(join(directory, 'manifest.json'), JSON.stringify({ artifacts }));
  return readTemplate(directory, {
    account: '000000000000',
    region: 'us-east-1',
    queueUrl: 'http://127.0.0.1:9324',
    baseUrl: 'http://localhost:4000',
  });
}

/** Returns the resolved form of one value. */
const resolved = (value: JsonObject[string], rest: JsonObject = {}) =>
  assembly({ S: { Resources: { It: { Type: 'Test::It', Properties: { value } } }, ...rest } }).resources('Test::It')[0]
    ?.properties.value;

describe('template', () => {
  test('resolves references to names, ARNs and addresses of this machine', () => {
    const template = assembly({
      Data: {
        Resources: {
          Table: { Type: 'AWS::DynamoDB::Table', Properties: { TableName: 'main' } },
          Queue: { Type: 'AWS::SQS::Queue', Properties: {} },
          Fn: {
            Type: 'AWS::Lambda::Function',
            Properties: {
              FunctionName: { 'Fn::Join': ['-', [{ Ref: 'AWS::Region' }, 'fn']] },
              Environment: {
                TABLE: { Ref: 'Table' },
                QUEUE: { Ref: 'Queue' },
                ARN: { 'Fn::GetAtt': ['Queue', 'Arn'] },
                URL: { 'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, ':', { Ref: 'AWS::AccountId' }]] },
              },
            },
          },
        },
      },
    });
    const [fn] = template.resources('AWS::Lambda::Function');
    expect(fn?.name).toBe('af-south-1-fn');
    expect(fn?.properties.Environment).toEqual({
      TABLE: 'main',
      QUEUE: 'http://127.0.0.1:9324/000000000000/Data-Queue',
      ARN: 'arn:aws:sqs:af-south-1:000000000000:Data-Queue',
      URL: 'arn:aws:000000000000',
    });
    expect(template.byArn('arn:aws:lambda:af-south-1:000000000000:function:af-south-1-fn:live')).toBe(fn);
  });

  test('resolves imports between stacks in any order', () => {
    const template = assembly({
      A: { Resources: { It: { Type: 'Test::It', Properties: { value: { 'Fn::ImportValue': 'B:Bucket' } } } } },
      B: {
        Resources: { Bucket: { Type: 'AWS::S3::Bucket' } },
        Outputs: { Out: { Value: { 'Fn::GetAtt': ['Bucket', 'Arn'] }, Export: { Name: 'B:Bucket' } } },
      },
    });
    expect(template.resources('Test::It')[0]?.properties.value).toBe('arn:aws:s3:::b-bucket');
  });

  test('resolves outputs of stacks in other regions', () => {
    const output = { StackName: 'B', OutputName: 'Out', Region: 'us-east-1' };
    const template = assembly({
      A: { Resources: { It: { Type: 'Test::It', Properties: { value: { 'Fn::GetStackOutput': output } } } } },
      B: {
        Resources: { Bucket: { Type: 'AWS::S3::Bucket' } },
        Outputs: { Out: { Value: { 'Fn::GetAtt': ['Bucket', 'Arn'] } } },
      },
    });
    expect(template.resources('Test::It')[0]?.properties.value).toBe('arn:aws:s3:::b-bucket');
  });

  test('resolves mappings, parameters and selections', () => {
    const rest: JsonObject = {
      Parameters: { Stage: { Type: 'String', Default: 'local' } },
      Mappings: { Sizes: { local: { memory: 128 } } },
    };
    expect(
      resolved(
        {
          mapped: { 'Fn::FindInMap': ['Sizes', { Ref: 'Stage' }, 'memory'] },
          selected: { 'Fn::Select': [1, { 'Fn::Split': ['-', 'a-b-c'] }] },
          policy: { Condition: { StringEquals: { a: 'b' } } },
        },
        rest,
      ),
    ).toEqual({ mapped: 128, selected: 'b', policy: { Condition: { StringEquals: { a: 'b' } } } });
  });

  test('refuses conditions, and intrinsic functions that no stack uses', () => {
    expect(() => assembly({ S: { Conditions: { Never: { 'Fn::Equals': ['a', 'b'] } } } })).toThrow('conditions');
    expect(() => resolved({ 'Fn::Unheard': [] })).toThrow('Fn::Unheard');
  });

  test('finds an asset by its object key', () => {
    const template = assembly(
      { S: { Resources: {} } },
      { abc: { source: { path: 'asset.abc' }, destinations: { current: { objectKey: 'abc.zip' } } } },
    );
    expect(template.asset('abc.zip')).toMatch(/asset\.abc$/);
  });
});
