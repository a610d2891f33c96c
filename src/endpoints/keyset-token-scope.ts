import { ruleContextOf } from "../definition/context.ts";
import type { EntitySet } from "../edm/model.ts";
import type { TokenScope } from "../plan/keyset-token.ts";
import { shapeKey } from "../query/query-shape.ts";
import type { Exchange } from "./exchange.ts";

/** The options that decide which rows are returned, and their order; all others may change from page to page. */
const ROW_OPTIONS: readonly string[] = ["$filter", "$orderby", "$search"];

/**
 * Returns the scope of a request's keyset tokens: a token is valid for one service, set, user and query.
 * @throws Error for a user without an identity, when the service has no `tokenScope` either
 */
export function keysetTokenScope(exchange: Exchange, entitySet: EntitySet): TokenScope {
  const { definition, seal } = exchange.service;
  if (seal === null) throw new Error(`${entitySet.name} has keyset paging, but its service has no secret.`);
  const { system, aliases } = exchange.options.options;
  const context = shapeKey([
    definition.name,
    definition.prefix,
    entitySet.name,
    ownerOf(exchange, entitySet),
    ...ROW_OPTIONS.map((name) => system.get(name)),
    ...[...aliases].toSorted(([left], [right]) => (left < right ? -1 : 1)).flat(),
  ]);
  return { seal, context };
}

/** Returns a string that identifies the owner of tokens; undefined for an anonymous request. */
function ownerOf(exchange: Exchange, { name }: EntitySet): string | undefined {
  const { tokenScope: scopeOf } = exchange.service.definition;
  if (scopeOf !== undefined) {
    // JavaScript may return anything, such as a promise, which would be the same string for all users.
    const scope: unknown = scopeOf(ruleContextOf(exchange.context));
    if (typeof scope === "string") return scope;
    throw new TypeError("`tokenScope` of odataService did not return a text: return what keyset tokens belong to.");
  }
  const { user } = exchange;
  if (user === null) return undefined;
  const id: unknown = typeof user === "object" ? Reflect.get(user, "id") : user;
  if ((typeof id === "string" && id !== "") || typeof id === "bigint" || Number.isFinite(id)) {
    return `${typeof id} ${String(id)}`;
  }
  throw new Error(
    `${name} has keyset paging, but the user of the request has no \`id\` that its tokens could belong to: return one from \`authenticate\`, or give odataService a \`tokenScope\`.`,
  );
}
