/**
 * The JSON schema of SARIF 2.1.0, as Microsoft's matchers for tests ship it. It differs from the file of OASIS
 * (`sarif-schema-2.1.0.json`) only in its name, in the version of JSON Schema, and in the spelling of descriptions.
 */

import schema from '@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json' with { type: 'json' };
import { Ajv, type ErrorObject } from 'ajv';
import addFormats from 'ajv-formats';

// A pattern of the schema is valid only without the flag `u`.
// A few logs are validated, so code that is made sooner is better than code that runs sooner.
const ajv = new Ajv({ allErrors: true, unicodeRegExp: false, inlineRefs: false, code: { optimize: false } });
addFormats.default(ajv);
// It says draft 4, and uses nothing that later drafts changed but the name of `id`.
const { id: $id, $schema: _draft, ...rest } = schema;
const validate = ajv.compile({ $id, ...rest });

/** What the schema refuses in a log; nothing if it is valid. */
export function sarifErrors(log: unknown): readonly ErrorObject[] {
  validate(log);
  return validate.errors ?? [];
}
