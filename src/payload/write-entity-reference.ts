import type { EntitySet } from "../edm/model.ts";
import type { RowShape } from "../query/row-shape.ts";
import { entityUrl } from "./entity-url.ts";
import type { PayloadFormat } from "./payload-format.ts";
import type { EntityWriter } from "./write-entity.ts";

/**
 * Makes the writer of references to entities. A reference contains only the `@odata.id`, which is written in every format.
 * @param entitySet the set of the entities; null: they have no set, and so no references
 * @see OData JSON Format 4.0, section 13
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
