// Typed reading of API request bodies. A field of the wrong type is invalid JSON to JetStream (10025), an
// unknown one too when the profile is that strict (spec 2.1).

import { nanosFromRfc3339 } from '../base/nanos.ts';
import { utf8Text } from '../base/text.ts';
import { failure, isFailure, type ApiFailure } from './api-failure.ts';

const unixEpoch = { unixSeconds: 0, nanos: 0 };

export type JsonObject = Readonly<Record<string, unknown>>;

/** Every number of the API is an integer; an unsigned one is a sequence or a count. Times are RFC 3339. */
export type FieldType =
  | 'string'
  | 'number'
  | 'unsigned'
  | 'time'
  | 'boolean'
  | 'strings'
  | 'numbers'
  | 'object'
  | 'objects'
  | 'map';

/** The object in a request body; an empty body is an empty object. */
export function readJson(bytes: Uint8Array, start: number, end: number): JsonObject | ApiFailure {
  if (end <= start) return {};
  let value: unknown;
  try {
    value = JSON.parse(utf8Text(bytes, start, end));
  } catch (error) {
    return failure(10025, error instanceof Error ? error.message : 'not JSON');
  }
  return isObject(value) ? value : failure(10025, 'not an object');
}

/** Checks every field against its type; fields without one are refused when `strict`. */
export function checkFields(
  value: JsonObject,
  fields: Readonly<Record<string, FieldType>>,
  strict: boolean,
): ApiFailure | null {
  for (const [name, field] of Object.entries(value)) {
    if (field === null) continue;
    const type = fields[name];
    if (type === undefined) {
      if (strict) return failure(10025, `json: unknown field "${name}"`);
      continue;
    }
    if (!hasType(field, type)) return failure(10025, `json: field "${name}" is not of type ${type}`);
  }
  return null;
}

/** Parses and checks a body in one step. */
export function readFields(
  body: Uint8Array,
  fields: Readonly<Record<string, FieldType>>,
  strict: boolean,
): JsonObject | ApiFailure {
  const value = readJson(body, 0, body.length);
  if (isFailure(value)) return value as ApiFailure;
  return checkFields(value, fields, strict) ?? value;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function numberField(value: JsonObject, name: string, absent: number): number {
  const field = value[name];
  return typeof field === 'number' ? field : absent;
}

export function textField(value: JsonObject, name: string, absent = ''): string {
  const field = value[name];
  return typeof field === 'string' ? field : absent;
}

export function flagField(value: JsonObject, name: string): boolean {
  return value[name] === true;
}

export function textsField(value: JsonObject, name: string): readonly string[] {
  const field = value[name];
  return Array.isArray(field) ? (field as readonly string[]) : [];
}

export function numbersField(value: JsonObject, name: string): readonly number[] {
  const field = value[name];
  return Array.isArray(field) ? (field as readonly number[]) : [];
}

function hasType(field: unknown, type: FieldType): boolean {
  switch (type) {
    case 'string':
    case 'boolean':
      return typeof field === type;
    case 'time':
      return typeof field === 'string' && !Number.isNaN(nanosFromRfc3339(unixEpoch, field));
    case 'number':
      return Number.isInteger(field);
    case 'unsigned':
      return Number.isSafeInteger(field) && Number(field) >= 0;
    case 'strings':
      return Array.isArray(field) && field.every((item) => typeof item === 'string');
    case 'numbers':
      return Array.isArray(field) && field.every((item) => Number.isInteger(item));
    case 'object':
      return isObject(field);
    case 'objects':
      return Array.isArray(field) && field.every((item) => isObject(item));
    case 'map':
      return isObject(field) && Object.values(field).every((item) => typeof item === 'string');
    default:
      return false;
  }
}
