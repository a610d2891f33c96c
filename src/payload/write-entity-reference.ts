import { isJsonObject, type JsonValue } from "../base/json/write-json.ts";
import type { EntitySet } from "../edm/model.ts";
import { describeValue } from "../edm/value-codec.ts";
import type { RowShape } from "../language/query/row-shape.ts";
import { compileNameCheck, bodyRoot, invalidMember } from "./body-members.ts";
import type { PayloadFormat } from "./payload-format.ts";
import { entityUrl } from "./urls.ts";
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

const ID = "@odata.id";

const MEMBERS: ReadonlySet<string> = new Set([ID]);
const checkNames = compileNameCheck("An entity reference", MEMBERS, "reject");

/**
 * Reads the body of a request that adds or sets a link: `{ "@odata.id": "Customers(5)" }`.
 * @returns the reference as the client wrote it
 * @throws ODataError `InvalidBody` for any other body
 * @see OData JSON Format 4.0, section 13
 */
export function readReference(body: JsonValue): string {
  const place = bodyRoot(false);
  if (!isJsonObject(body)) {
    const problem = `${describeValue(body)} is not an entity reference: send {"${ID}": "Customers(5)"}.`;
    throw invalidMember(problem, place, "");
  }
  const id = body[ID];
  if (typeof id !== "string" || id.trim() === "") {
    const problem = id === undefined ? "The member is missing" : `${describeValue(id)} is not the URL of an entity`;
    throw invalidMember(`${problem}: write a string such as "Customers(5)".`, place, ID);
  }
  checkNames(body, place);
  return id;
}
