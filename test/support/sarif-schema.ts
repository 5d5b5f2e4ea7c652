/**
 * The parts of SARIF 2.1.0 (OASIS, errata 01) that `usp check` writes, as a JSON schema: the same names, types, limits
 * and required properties, written down from the standard. Whatever is not named here is refused, so a new property
 * of the format must be added here first.
 */

const text = { type: 'string' } as const;
const uri = { type: 'string', format: 'uri' } as const;
const level = { enum: ['none', 'note', 'warning', 'error'] } as const;

/** An object with these properties and no others. */
function only(properties: Readonly<Record<string, object>>, required: readonly string[] = []): object {
  return { type: 'object', additionalProperties: false, properties, required };
}

function list(items: object, more: object = {}): object {
  return { type: 'array', items, ...more };
}

const message = only({ text, markdown: text, id: text }, []);
const multiformat = only({ text, markdown: text }, ['text']);
const atLeastOne = { type: 'integer', minimum: 1 } as const;
const region = only({ startLine: atLeastOne, startColumn: atLeastOne });
const physicalLocation = {
  ...only({ artifactLocation: only({ uri: { type: 'string', format: 'uri-reference' } }), region }),
  required: ['artifactLocation'],
};
const location = only({ id: { type: 'integer', minimum: -1 }, physicalLocation, message });

const descriptor = only(
  {
    id: text,
    shortDescription: multiformat,
    fullDescription: multiformat,
    helpUri: uri,
    help: multiformat,
    defaultConfiguration: only({ level }),
  },
  ['id'],
);

const result = only(
  {
    ruleId: text,
    ruleIndex: { type: 'integer', minimum: -1 },
    level,
    message,
    locations: list(location),
    relatedLocations: list(location, { uniqueItems: true }),
    partialFingerprints: { type: 'object', additionalProperties: text },
    occurrenceCount: atLeastOne,
    properties: { type: 'object' },
  },
  ['message'],
);

const run = only(
  {
    tool: only(
      {
        driver: only(
          {
            name: text,
            version: text,
            semanticVersion: text,
            informationUri: uri,
            rules: list(descriptor, { uniqueItems: true }),
          },
          ['name'],
        ),
      },
      ['driver'],
    ),
    invocations: list(
      only(
        {
          executionSuccessful: { type: 'boolean' },
          toolExecutionNotifications: list(only({ level, message }, ['message'])),
        },
        ['executionSuccessful'],
      ),
    ),
    columnKind: { enum: ['utf16CodeUnits', 'unicodeCodePoints'] },
    newlineSequences: list(text, { minItems: 1, uniqueItems: true }),
    results: list(result),
  },
  ['tool'],
);

export const SARIF_SCHEMA: object = only({ $schema: uri, version: { enum: ['2.1.0'] }, runs: list(run) }, [
  'version',
  'runs',
]);
