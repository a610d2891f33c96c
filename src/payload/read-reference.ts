import { describeValue } from "../edm/invalid-value.ts";
import { isJsonObject, type JsonValue } from "../json/json-value.ts";
import { compileNameCheck } from "./body-members.ts";
import { bodyRoot, invalidMember } from "./body-place.ts";

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
