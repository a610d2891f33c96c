import { chain, type Maybe } from "../base/maybe.ts";
import { keeper, keptPer } from "../base/memo.ts";
import { BARE_VALUES_OPTIONS, COMPOSED_VALUES_OPTIONS } from "../binder/option-rules.ts";
import type { ComplexType, EntityType, StructuralProperty } from "../edm/model.ts";
import { isSource } from "../execution/handler-answer.ts";
import { runCollection } from "../execution/run-collection.ts";
import type { JsonFormat } from "../http/media-type.ts";
import type { ODataResponse } from "../http/odata-response.ts";
import { originContext } from "../payload/context-url.ts";
import { writeCollection } from "../payload/write-collection.ts";
import { planCollection } from "../plan/plan-collection.ts";
import { bindCollection } from "./bind-query.ts";
import { startBody } from "./collection-page.ts";
import { entityWriterFor } from "./entity-writer-for.ts";
import type { Exchange } from "./exchange.ts";
import { implicitSet } from "./implicit-set.ts";
import { bareFormat, isEnvelopedByType } from "./operation-result.ts";
import { jsonResponse, noContentResponse } from "./response.ts";

/**
 * Makes the response with the complex values that a composable function returns. A source over a database applies the query
 * options; those of a list are applied in memory.
 * @param call calls the function after its options are bound
 * @throws ODataError for a query option, or the error of the call
 * @see docs/reference/operations.md
 */
export function composedValues(
  exchange: Exchange,
  format: JsonFormat,
  complexType: ComplexType,
  call: () => Maybe<unknown>,
): Maybe<ODataResponse> {
  const { service, reader, serviceRoot, maxEntities } = exchange;
  const { model, defaultCapabilities, limits, profile } = service.definition;
  const type = rowTypeOf(complexType);
  const capabilities = { ...defaultCapabilities, maxTop: null };
  const target = {
    model,
    entitySet: setOfRows(type),
    capabilities,
    capabilitiesOf: () => defaultCapabilities,
    limits,
    fullContextUrl: profile.fullContextUrl,
  };
  const isEnveloped = isEnvelopedByType(exchange);
  const query = bindCollection(exchange, target, isEnveloped ? COMPOSED_VALUES_OPTIONS : BARE_VALUES_OPTIONS);
  const { selectExpand } = query.shape;
  return chain(call(), (result) => {
    if (result === null || result === undefined) return noContentResponse(exchange);
    const values = result as Iterable<unknown>;
    const source = isSource(values) ? values : null;
    const handlers = source === null ? { getAll: () => values } : { queryable: () => source };
    const needs = { maxPageSize: undefined, selected: selectExpand.selected };
    const plan = planCollection(source === null ? "get-all" : "queryable", query, capabilities, needs);
    return chain(runCollection(plan, { handlers, entitySet: null }, reader, maxEntities), (page) => {
      const { entities, rowShape, count } = page;
      exchange.countEntities(entities.length);
      const written = isEnveloped ? format : bareFormat(format);
      const writer = entityWriterFor(service, type, selectExpand, written, rowShape);
      const contextUrl = isEnveloped ? originContext(serviceRoot, type, true, selectExpand.contextSelect) : null;
      const body = writeCollection({ contextUrl, serviceRoot, count, parts: [{ entities, writer }] });
      return jsonResponse(exchange, format, startBody(body));
    });
  });
}

/** The types whose values have an order. */
const isOrdered = ({ type, isCollection }: StructuralProperty): boolean =>
  !isCollection && type.kind === "PrimitiveType" && type.name !== "Edm.Binary";

/** Returns a complex type as the type of rows. All ordered properties together make an order total, in place of a key. */
const rowTypeOf = keptPer((complexType: ComplexType): EntityType => {
  const key = complexType.properties.filter(isOrdered);
  const others = { kind: "EntityType", key, ignoredProperties: [], navigationProperties: [] } as const;
  return Object.freeze(keeper<EntityType>({ ...complexType, ...others }));
});

const setOfRows = keptPer((type: EntityType) => implicitSet(`/${type.name}`, type));
