import type { ApiFailure } from '../api-failure.ts';
import { numberField, readFields, type FieldType, type JsonObject } from '../json-fields.ts';

export const namesLimit = 1024;
export const detailsLimit = 256;
export const subjectsLimit = 100_000;

/** A page of an ascending list; negative offsets count as 0 (spec 2.1). */
export interface Page {
  readonly total: number;
  readonly offset: number;
  readonly limit: number;
}

export function pageOf<T>(
  items: readonly T[],
  request: JsonObject,
  limit: number,
): { page: Page; items: readonly T[] } {
  const offset = Math.max(0, numberField(request, 'offset', 0));
  return { page: { total: items.length, offset, limit }, items: items.slice(offset, offset + limit) };
}

/** Reads a list request, whose fields are `offset` and what the call adds. */
export function readListRequest(
  body: Uint8Array,
  strict: boolean,
  more: Readonly<Record<string, FieldType>> = {},
): JsonObject | ApiFailure {
  return readFields(body, { offset: 'number', ...more }, strict);
}
