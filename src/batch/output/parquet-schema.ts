/** The columns as Parquet writes a schema: a list of elements, parents before children. */
import type { SchemaElement } from 'hyparquet-writer';
import { COLUMNS, type Field, type FieldType } from './schema.ts';

type Scalar = Extract<FieldType, string>;

/**
 * Timestamps in milliseconds, since `Date` has them: microseconds of far dates are beyond the whole numbers that a
 * double holds.
 */
const SCALARS: Readonly<Record<Scalar, Partial<SchemaElement>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  number: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
  timestamp: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MILLIS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
  },
};

/** The schema of a part. */
export const PARQUET_SCHEMA: SchemaElement[] = [
  { name: 'pages', num_children: COLUMNS.length },
  ...COLUMNS.flatMap(elementsOf),
];

function elementsOf({
  name,
  type,
  isRequired,
}: Pick<Field, 'name' | 'type' | 'isRequired'>): SchemaElement[] {
  const repetition_type = isRequired ? 'REQUIRED' : 'OPTIONAL';
  if (typeof type === 'string') return [{ name, repetition_type, ...SCALARS[type] }];
  if ('struct' in type) {
    return [
      { name, repetition_type, num_children: type.struct.length },
      ...type.struct.flatMap((field) => elementsOf(field)),
    ];
  }
  // The three levels that the format specifies for lists, with its names.
  return [
    { name, repetition_type, num_children: 1, converted_type: 'LIST' },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    ...elementsOf({ name: 'element', type: type.list, isRequired: true }),
  ];
}
