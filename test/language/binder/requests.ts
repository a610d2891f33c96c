import { expect } from "vitest";
import { ODataError } from "../../../src/base/errors/odata-error.ts";
import { DEFAULT_LIMITS } from "../../../src/definition/startup/resolve-settings.ts";
import {
  bindCollectionQuery,
  bindCountQuery,
  bindEntityQuery,
  bindNoQuery,
  type QueryTarget,
} from "../../../src/language/binder/bind-query-options.ts";
import type { Capabilities, Limits } from "../../../src/language/query/capabilities.ts";
import type { BoundQuery, QueryShape, SelectExpandClause } from "../../../src/language/query/clauses.ts";
import { parseQueryOptions } from "../../../src/language/syntax/query-options-parser.ts";
import { entitySet, everything, model } from "./model.ts";

export interface Settings {
  readonly set?: string;
  readonly capabilities?: Partial<Capabilities>;
  /** The capabilities of target sets. */
  readonly others?: Partial<Capabilities>;
  readonly limits?: Partial<Limits>;
  readonly cache?: Map<string, QueryShape>;
}

function target(settings: Settings): QueryTarget {
  const name = settings.set ?? "Products";
  const capabilities = { ...everything, ...settings.capabilities };
  return {
    model,
    entitySet: entitySet(name),
    capabilities,
    capabilitiesOf: (set) => (set?.name === name ? capabilities : { ...everything, ...settings.others }),
    limits: { ...DEFAULT_LIMITS, ...settings.limits },
  };
}

/** The query options as a client writes them, with unencoded blanks and quotes. */
function options(query: string): ReturnType<typeof parseQueryOptions> {
  return parseQueryOptions(query.replaceAll("+", "%2B"));
}

export function bindCollection(query: string, settings: Settings = {}): BoundQuery {
  return bindCollectionQuery(options(query), target(settings), settings.cache ?? new Map());
}

export function bindCountOf(query: string, settings: Settings = {}): BoundQuery {
  return bindCountQuery(options(query), target(settings), settings.cache ?? new Map());
}

export function bindEntity(query: string, settings: Settings = {}): SelectExpandClause {
  return bindEntityQuery(options(query), target(settings), settings.cache ?? new Map()).selectExpand;
}

export function bindNothing(query: string): void {
  bindNoQuery(options(query));
}

/** Returns status, code, target and message of the error of a call. */
export function errorOf(call: () => unknown): readonly [number, string, string | undefined, string] {
  try {
    call();
  } catch (error) {
    if (error instanceof ODataError) return [error.status, error.code, error.target, error.message];
    throw error;
  }
  return expect.fail("There was no error.");
}
