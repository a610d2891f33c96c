import type { EntitySet } from "../edm/model.ts";
import type { RowShape } from "../query/row-shape.ts";
import { entityUrl } from "./entity-url.ts";
import type { PayloadFormat } from "./payload-format.ts";
import type { EntityWriter } from "./write-entity.ts";

/**
 * Makes the writer of references to entities: the `@odata.id` of each and nothing else, so it is written in every
 * format.
 * @param entitySet what the entities belong to; null: to no set, so they have no references, and nothing stands for them
 * @param rowShape the layout of the entities when they are rows; otherwise they are the application's objects
 * @see OData JSON Format 4.0, section 13; specification, Navigation routes, rule 5
 */
export function compileReferenceWriter(
  entitySet: EntitySet | null,
  format: PayloadFormat,
  rowShape: RowShape | undefined,
): EntityWriter {
  const idOf = (entity: unknown, serviceRoot: string): readonly string[] =>
    entitySet === null ? [] : [`"@odata.id":${JSON.stringify(entityUrl(serviceRoot, entitySet, entity, rowShape))}`];
  return Object.freeze({
    format,
    writeItem: (entity, serviceRoot) => `{${idOf(entity, serviceRoot).join("")}}`,
    writeEntity: (entity, serviceRoot, contextUrl) => {
      const context = format.metadata === "none" ? [] : [`"@odata.context":${JSON.stringify(contextUrl)}`];
      return `{${[...context, ...idOf(entity, serviceRoot)].join(",")}}`;
    },
  } satisfies EntityWriter);
}
