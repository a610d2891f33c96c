/**
 * The error codes of the framework with their HTTP statuses. Each code has a row in docs/reference/errors.md. Handlers may
 * return custom codes with `odataError`.
 * @see docs/reference/errors.md
 */
export const ERROR_CODES = {
  InvalidUrl: 400,
  InvalidBody: 400,
  InvalidKey: 400,
  KeyMismatch: 400,
  ImmutableKey: 400,
  NullNotAllowed: 400,
  MissingParameter: 400,
  InvalidParameter: 400,
  UnsupportedFormat: 400,
  InvalidSkipToken: 400,
  UnsupportedQueryOption: 400,
  InvalidQueryOption: 400,
  UnsupportedODataVersion: 400,
  NotSupported: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  RequestTimeout: 408,
  Conflict: 409,
  PreconditionFailed: 412,
  PayloadTooLarge: 413,
  UnsupportedMediaType: 415,
  RangeNotSatisfiable: 416,
  FailedDependency: 424,
  PreconditionRequired: 428,
  HeadersTooLarge: 431,
  InternalServerError: 500,
  NotImplemented: 501,
  ServiceUnavailable: 503,
  QueryTimeout: 503,
} as const;

/** An error code of the framework. */
export type ErrorCode = keyof typeof ERROR_CODES;
