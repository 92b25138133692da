import type { ApiErrorCode } from '../base/api-errors.ts';

/** Why a request is refused: the error's number and the value that goes into its text. */
export interface ApiFailure {
  readonly failed: true;
  readonly code: ApiErrorCode;
  readonly detail: string;
}

export function failure(code: ApiErrorCode, detail = ''): ApiFailure {
  return { failed: true, code, detail };
}

export function isFailure(value: object): value is ApiFailure {
  return 'failed' in value && value.failed === true;
}
